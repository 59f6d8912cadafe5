/** Marks a reference across copies of this package. */
const marker = "bridle.env";

/** The name of an environment variable whose value only the supervisor reads, when it needs it. */
export interface EnvReference {
  readonly kind: typeof marker;
  readonly name: string;
}

/**
 * A lazy reference to a secret: the value is never in the config object, so it cannot reach an isolate with it.
 * Throws TypeError for a name no environment can have.
 */
export function env(name: string): EnvReference {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new TypeError(
      `env("${name}") is not a name of an environment variable: letters, digits and _ only.`,
    );
  }
  return { kind: marker, name };
}

export function isEnvReference(value: unknown): value is EnvReference {
  return (
    typeof value === "object" &&
    value !== null &&
    (value as { kind?: unknown }).kind === marker &&
    typeof (value as { name?: unknown }).name === "string"
  );
}
