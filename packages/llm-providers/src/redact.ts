import { redacted, secretMask } from "@bridle/protocol";

/** Longest text of a provider that is kept: enough to read, too short to carry a prompt. */
const maxCharacters = 500;

/** Forms of credentials that are recognised without knowing them: `Bearer …`, `Basic …`, `sk-…`, `key=…`. */
const knownForms: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[\w.~+/=:-]{6,}/gi, `$1 ${redacted}`],
  [/\b(?:sk|pk|rk|xai|gsk|key)-[\w*-]{6,}/gi, redacted],
  [/([?&](?:key|api[_-]?key|token|access_token)=)[^&\s"']+/gi, `$1${redacted}`],
];

/** Removes credentials from text in every form they may be echoed in, and what looks like one; cuts the rest short (B199). */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const mask = secretMask(secrets);
  return (text) => {
    let result = mask(text);
    for (const [pattern, replacement] of knownForms) result = result.replace(pattern, replacement);
    return result.length > maxCharacters ? `${result.slice(0, maxCharacters)}…` : result;
  };
}
