export interface UnsoundField {
  /** As the provider calls it. */
  readonly field: string;
  /** What it said, shortened. */
  readonly value: string;
}

const longestValue = 40;

type Raw = Readonly<Record<string, unknown>>;

/** The fields of one usage report: counts, and which of them were nonsense. Never throws, whatever came. */
export class UsageFields {
  readonly unsound: UnsoundField[] = [];
  readonly #raw: Raw;

  constructor(raw: unknown) {
    this.#raw = asRecord(raw);
  }

  count(name: string): number | undefined {
    return this.#sound(name, this.#raw[name]);
  }

  /** The count of that name in the first of these objects that is there. */
  within(containers: readonly string[], name: string): number | undefined {
    const container = containers.find((key) => (this.#raw[key] ?? undefined) !== undefined);
    if (container === undefined) return undefined;
    return this.#sound(`${container}.${name}`, asRecord(this.#raw[container])[name]);
  }

  #sound(name: string, value: unknown): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    this.unsound.push({ field: name, value: textOf(value) });
    return undefined;
  }
}

function asRecord(value: unknown): Raw {
  return typeof value === "object" && value !== null ? (value as Raw) : {};
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value.slice(0, longestValue);
  return typeof value === "number" ? String(value) : `(${typeof value})`;
}
