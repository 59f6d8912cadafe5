/** Shorter pieces of base64 turn up by chance in other text. */
const shortestBase64 = 8;

/**
 * Every spelling in which a secret may turn up in a text: as it is, URL-encoded (either case of the hex digits), inside
 * JSON, in hex, and in base64 or base64url at any of the three alignments (`Basic` puts a user name before it, an echoed
 * header `Bearer`). Longest first.
 */
export function secretForms(secret: string): readonly string[] {
  const encoded = encodeURIComponent(secret);
  const hex = bytesOf(secret)
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  const forms = new Set([
    secret,
    encoded,
    encoded.replaceAll(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase()),
    JSON.stringify(secret).slice(1, -1),
    hex,
    hex.toUpperCase(),
  ]);
  for (const core of [0, 1, 2].map((offset) => base64Core(secret, offset))) {
    if (core.length < shortestBase64) continue;
    forms.add(core);
    forms.add(core.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return [...forms].toSorted((one, other) => other.length - one.length);
}

/** The characters that depend on nothing but the secret, when `offset` bytes precede it in its group of three. */
function base64Core(secret: string, offset: number): string {
  const bytes = [...Array.from({ length: offset }, () => 0), ...bytesOf(secret)];
  const text = btoa(String.fromCharCode(...bytes)).replaceAll("=", "");
  const start = offset === 0 ? 0 : offset + 1;
  return text.slice(start, bytes.length % 3 === 0 ? undefined : -1);
}

function bytesOf(text: string): readonly number[] {
  return [...new TextEncoder().encode(text)];
}

/** What stands where a secret was. */
export const redacted = "[redacted]";

/** Shorter ones would blank out innocent words. */
const shortestSecret = 6;

/** Takes these secrets out of a text, in every spelling. */
export function secretMask(secrets: readonly string[]): (text: string) => string {
  const forms = secrets.filter(({ length }) => length >= shortestSecret).flatMap(secretForms);
  const longestFirst = [...new Set(forms)].toSorted((one, other) => other.length - one.length);
  return (text) => longestFirst.reduce((rest, form) => rest.replaceAll(form, redacted), text);
}
