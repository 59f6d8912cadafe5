/** Compared without case, `-`, `_` and dots, so that `x-api-key`, `apiKey` and `API_KEY` are one. */
const sensitiveEndings = [
  "apikey",
  "secret",
  "secretkey",
  "password",
  "passwd",
  "passphrase",
  "authorization",
  "privatekey",
  "accesskey",
  "credential",
  "credentials",
  "cookie",
  "token",
] as const;

/** Whether a field or header of this name holds a secret. `inputTokens` and `maxTokens` do not. */
export function isSensitiveName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[-_.\s]/g, "");
  return sensitiveEndings.some((ending) => plain.endsWith(ending));
}
