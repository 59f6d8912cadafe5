import { createHash } from "node:crypto";

/** Arguments longer than this are compared as they were written: sorting their members would cost more than it finds. */
const longestSorted = 65_536;

/** Equal for equal texts; sixteen bytes, so that a task's thousand results do not meet by chance. */
export function fingerprintOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

/** Of JSON text, whatever the order of its members. */
export function fingerprintOfJson(text: string): string {
  if (text.length > longestSorted) return fingerprintOf(text);
  return fingerprintOf(JSON.stringify(JSON.parse(text), sortedMembers));
}

/** Of the texts in a JSON object, by member. None of what is no object or too long to look into. */
export function fingerprintsOfTexts(text: string): Readonly<Record<string, string>> {
  if (text.length > longestSorted) return {};
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  const members = Object.entries(value).flatMap(([member, one]: [string, unknown]) =>
    typeof one === "string" ? [[member, fingerprintOf(one)] as const] : [],
  );
  return Object.fromEntries(members);
}

function sortedMembers(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries);
}
