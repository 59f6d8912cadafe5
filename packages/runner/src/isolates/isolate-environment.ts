/** What an agent's process may inherit: what programs need to run and to speak the user's language. No key is among them (X4). */
const inherited = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
  "NODE_ENV",
  "NODE_EXTRA_CA_CERTS",
  "SystemRoot",
] as const;

/** Name of the variable that marks everything an isolate starts. */
export const isolateVariable = "BRIDLE_ISOLATE";

export interface EnvironmentOptions {
  readonly base: Readonly<Record<string, string | undefined>>;
  /** Further names an operator lets through. */
  readonly allow: readonly string[];
  readonly token: string;
}

/** Built from an allow-list, never by removing what is known to be secret: the next secret has another name. */
export function isolateEnvironment(options: EnvironmentOptions): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of [...inherited, ...options.allow]) {
    const value = options.base[name];
    if (value !== undefined) environment[name] = value;
  }
  environment[isolateVariable] = options.token;
  return environment;
}
