export interface PlainOptions {
  /** Applied to every text, names too; also bounds it. */
  readonly text: (text: string) => string;
  /** Whether a field of this name is not to be shown. */
  readonly isHidden: (name: string) => boolean;
  readonly mask: string;
}

/** Bounds of one line: enough for an error with its causes, too little for a model's output. */
const deepest = 8;
const widest = 100;

/** Copies anything into bounded, plain JSON values. Never throws: what cannot be read says so. */
export function toPlain(value: unknown, options: PlainOptions): unknown {
  return new PlainCopier(options).copy(value, 0);
}

class PlainCopier {
  readonly #options: PlainOptions;
  readonly #path = new Set<object>();

  constructor(options: PlainOptions) {
    this.#options = options;
  }

  copy(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case "string":
        return this.#options.text(value);
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "bigint":
        return value.toString();
      case "object":
        return this.#object(value, depth);
      case "boolean":
        return value;
      case "undefined":
      case "function":
      case "symbol":
        return undefined;
    }
  }

  #object(value: object | null, depth: number): unknown {
    if (value === null) return null;
    if (this.#path.has(value)) return "[circular]";
    if (depth >= deepest) return "[too deep]";
    this.#path.add(value);
    try {
      return this.#members(value, depth);
    } catch {
      return "[unreadable]";
    } finally {
      this.#path.delete(value);
    }
  }

  #members(value: object, depth: number): unknown {
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (value instanceof Map) return this.#fields([...value.entries()], depth);
    if (value instanceof Set) return this.#list([...value], depth);
    if (Array.isArray(value)) return this.#list(value, depth);
    if (value instanceof Error) return this.#fields(errorEntries(value), depth);
    if (hasToJson(value)) return this.copy(value.toJSON(), depth + 1);
    return this.#fields(Object.entries(value), depth);
  }

  /** A telling name followed by a value is a pair, as in `["x-api-key", "…"]` and in raw header lists. */
  #list(values: readonly unknown[], depth: number): readonly unknown[] {
    const copies = values.slice(0, widest).map((value, index) => {
      const before = values[index - 1];
      const isHidden = typeof before === "string" && this.#options.isHidden(before);
      return isHidden ? this.#options.mask : (this.copy(value, depth + 1) ?? null);
    });
    if (values.length > widest) copies.push(`… (${values.length - widest} more)`);
    return copies;
  }

  #fields(entries: readonly (readonly [unknown, unknown])[], depth: number): object {
    const fields: [string, unknown][] = entries.slice(0, widest).map(([key, value]) => {
      const name = String(key);
      const isHidden = value !== undefined && value !== null && this.#options.isHidden(name);
      return [
        this.#options.text(name),
        isHidden ? this.#options.mask : this.copy(value, depth + 1),
      ];
    });
    if (entries.length > widest) fields.push(["…", `${entries.length - widest} more`]);
    return Object.fromEntries(fields);
  }
}

/** What an error says is not enumerable; what clients hang on to it (`config`, `response`) is. */
function errorEntries(error: Error): readonly (readonly [string, unknown])[] {
  const said = Object.entries({
    name: error.name,
    message: error.message,
    stack: error.stack,
    cause: error.cause,
  }).filter(([, value]) => value !== undefined);
  return [...said, ...Object.entries(error).filter(([key]) => key !== "cause")];
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return "toJSON" in value && typeof value.toJSON === "function";
}
