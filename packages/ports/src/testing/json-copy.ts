/**
 * The value as a store gives it back: written as JSON text and parsed again, but without the text (0.3 instead of 2.4 μs for an entry
 * of a log, which is 4 % of a simulated world). Contract: plain data; what has a `toJSON` is copied by its fields.
 */
export function jsonCopy<Value>(value: Value): Value {
  // Plain data in, plain data of the same shape out; only what JSON cannot say is gone.
  return copyOf(value) as Value;
}

function copyOf(value: unknown): unknown {
  // Plus zero: JSON has no minus zero.
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : copyOf(item)));
  const copy: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined) set(copy, key, copyOf(field));
  }
  return copy;
}

/** As `JSON.parse` does it: `__proto__` is a field like any other. */
function set(copy: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    const field = { value, configurable: true, enumerable: true, writable: true };
    Object.defineProperty(copy, key, field);
  } else copy[key] = value;
}
