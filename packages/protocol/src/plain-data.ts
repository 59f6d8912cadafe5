/** No real workflow or input nests deeper; code that walks values may recurse up to here. */
const maxDepth = 100;

/**
 * Throws an Error that says why when a document is not plain JSON data: endless nesting or a circle, a key that reaches a
 * prototype, a number that JSON cannot write, or an object of some other kind, as YAML's tags make them.
 */
export function refuseUnplainData(root: unknown): void {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw new Error(`the number ${value} has no JSON form.`);
    }
    if (typeof value !== "object" || value === null) continue;
    if (depth >= maxDepth) throw new Error(`it nests deeper than ${maxDepth} levels.`);
    if (!isPlain(value)) throw new Error("it holds something that has no JSON form.");
    if (Object.hasOwn(value, "__proto__")) throw new Error('the key "__proto__" is not allowed.');
    for (const child of Object.values(value)) open.push({ value: child, depth: depth + 1 });
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

/**
 * Options for the `yaml` library: YAML that reads as JSON does, with texts as keys, no tags and no merge keys. Its warnings
 * (an unknown tag) are faults as well. `error`, since `silent` would also hide that there is a second document.
 */
const plainYamlOptions = {
  schema: "core",
  stringKeys: true,
  resolveKnownTags: false,
  merge: false,
  uniqueKeys: true,
  logLevel: "error",
} as const;

/** Each alias costs as often as it is used. */
const plainYamlAliases = { maxAliasCount: 100 } as const;

/** `parseDocument` of the `yaml` library, as far as it is needed here: the library is its callers'. */
export type ParseYaml = (
  text: string,
  options: typeof plainYamlOptions,
) => {
  readonly errors: readonly Error[];
  readonly warnings: readonly Error[];
  toJS(options: typeof plainYamlAliases): unknown;
};

/** A YAML document (or JSON, which YAML 1.2 reads too) as plain JSON data. Throws what `reasonUnreadable` words. */
export function plainYaml(text: string, parseDocument: ParseYaml): unknown {
  const document = parseDocument(text, plainYamlOptions);
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault !== undefined) throw fault;
  const value = document.toJS(plainYamlAliases);
  refuseUnplainData(value);
  return value;
}

const rewordings: readonly (readonly [RegExp, string])[] = [
  [/^Source contains multiple documents.*?( at line .*)?$/, "it holds more than one document$1"],
  [/^Maximum call stack size exceeded/, "it nests too deeply"],
  [/^Unresolved tag: \S+/, "tags are not supported"],
  [/^Excessive alias count.*/, "its aliases stand for too much; write the parts out."],
  [/^With stringKeys, all keys must be strings/, "a key must be a text"],
];

/** A parser's complaint as the end of a sentence, without what only programmers of the parser can use. */
export function reasonUnreadable(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return rewordings.reduce((text, [pattern, words]) => text.replace(pattern, words), line);
}
