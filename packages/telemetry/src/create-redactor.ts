import { secretForms } from "@bridle/protocol";

/**
 * Takes secrets out of anything before it leaves the process (B199).
 *
 * 1. The value of a field, header or pair with a telling name never leaves, at any depth.
 * 2. A registered secret leaves in none of its forms, wherever it stands: values, names, messages, stacks, causes.
 * 3. Unregistered ones leave neither when they look like one: `Bearer …`, `Basic …`, `?key=…`, `user:password@`, `sk-…`.
 * 4. The answer is plain JSON, bounded in depth, width and length. It never throws, whatever it is given.
 */
import { isSensitiveName } from "./sensitive-name.ts";
import { toPlain } from "./to-plain.ts";

export interface Redactor {
  /** A secret to look for from now on. Texts under 4 characters are not: they are in everything. */
  add(secret: string): void;
  text(text: string): string;
  /** A JSON-safe copy without secrets. */
  value(value: unknown): unknown;
}

const mask = "[redacted]";
const shortestSecret = 4;

/** Longest text that leaves: enough for an error's stack, and it bounds what the patterns below may cost. */
const longest = 8192;

/** What looks like a credential: the part to keep, then the part to hide. Words without a digit are words. */
const patterns: readonly RegExp[] = [
  /\b((?:Bearer|Basic)\s+)(?=\S{0,512}[\d=])[\w.~+/=-]{6,}/gi,
  /([?&;](?:[\w-]*(?:key|token|secret|password|signature)|sig)=)[^&\s"'<>]+/gi,
  /("[\w-]*(?:api[_-]?key|token|secret|password|authorization)"\s*:\s*")[^"]+/gi,
  /\b((?:[\w-]*api-?key|authorization)\s*[:=]\s*)(?!Bearer\b|Basic\b)(?=\S{0,512}\d)[^\s,;"']{6,}/gi,
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,256}:)[^\s/@]{1,512}(?=@)/gi,
  /()\b(?:sk|pk|rk)-[\w-]{12,}/g,
  /()\b(?:brd|ghp|gho|ghs|glpat|xox[abprs])[_-][\w-]{8,}/g,
  /()\bAIza[\w-]{20,}/g,
  /()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
];

export function createRedactor(secrets: readonly string[] = []): Redactor {
  const forms = new Set<string>();
  let longestFirst: readonly string[] = [];

  function add(secret: string): void {
    if (secret.length < shortestSecret) return;
    for (const form of secretForms(secret)) forms.add(form);
    longestFirst = [...forms].toSorted((one, other) => other.length - one.length);
  }

  function text(raw: string): string {
    let clean = raw;
    for (const form of longestFirst) clean = clean.replaceAll(form, mask);
    clean = cut(clean);
    for (const pattern of patterns) clean = clean.replaceAll(pattern, `$1${mask}`);
    return clean;
  }

  for (const secret of secrets) add(secret);
  return { add, text, value: (value) => toPlain(value, { text, isHidden: isSensitiveName, mask }) };
}

/** After registered secrets are masked, so that no half of one is left at the cut. */
function cut(text: string): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest)}… (${text.length - longest} more)`;
}
