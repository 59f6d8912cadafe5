import { secretForms } from "@bridle/protocol";

/** What a secret is replaced by. */
export const redacted = "[redacted]";

/** Longest text of a provider that is kept: enough to read, too short to carry a prompt. */
const maxCharacters = 500;

/** Shorter strings would blank out innocent words. */
const minSecretCharacters = 6;

/** Forms of credentials that are recognised without knowing them: `Bearer …`, `Basic …`, `sk-…`, `key=…`. */
const knownForms: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[\w.~+/=:-]{6,}/gi, `$1 ${redacted}`],
  [/\b(?:sk|pk|rk|xai|gsk|key)-[\w*-]{6,}/gi, redacted],
  [/([?&](?:key|api[_-]?key|token|access_token)=)[^&\s"']+/gi, `$1${redacted}`],
];

/** Removes credentials from text in every form they may be echoed in, and what looks like one; cuts the rest short (B199). */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets.filter(({ length }) => length >= minSecretCharacters).flatMap(secretForms);
  const longestFirst = [...new Set(forms)].toSorted((left, right) => right.length - left.length);
  return (text) => {
    let result = longestFirst.reduce((rest, form) => rest.replaceAll(form, redacted), text);
    for (const [pattern, replacement] of knownForms) result = result.replace(pattern, replacement);
    return result.length > maxCharacters ? `${result.slice(0, maxCharacters)}…` : result;
  };
}
