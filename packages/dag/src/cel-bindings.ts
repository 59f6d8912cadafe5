/** Keys the library mistakes for something of the object itself when it looks for an object's type. */
const misread: readonly string[] = ["constructor", "__proto__"];

/**
 * Bindings in the library's terms. Integers that we count ourselves are CEL ints; an object with a key such as
 * `constructor` becomes a Map, so that the key is plain data (B196).
 */
export function celBindings(
  bindings: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const safe: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(bindings)) {
    safe[name] =
      name === "index" && Number.isInteger(value) ? BigInt(value as number) : safely(value);
  }
  return safe;
}

function safely(value: unknown): unknown {
  return isMisread(value) ? asData(value) : value;
}

function isMisread(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(isMisread);
  return misread.some((key) => Object.hasOwn(value, key)) || Object.values(value).some(isMisread);
}

function asData(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(asData);
  return new Map(Object.entries(value).map(([key, member]) => [key, asData(member)]));
}
