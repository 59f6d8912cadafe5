const code = (text: string): string => `\`${text}\``;

/** As much of a JSON schema as the pages show. */
export interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

/** One row per leaf, its path and its values; members of a record stand under `<name>`, those of a list under `[]`. */
export function settingsOf(schema: JsonSchema, path: string): readonly (readonly string[])[] {
  if (path.startsWith("liveness.")) return [];
  const within = (name: string): string => (path === "" ? name : `${path}.${name}`);
  if (schema.properties !== undefined) {
    return Object.entries(schema.properties).flatMap(([name, member]) =>
      settingsOf(member, within(name)),
    );
  }
  if (typeof schema.additionalProperties === "object") {
    return settingsOf(schema.additionalProperties, within("<name>"));
  }
  if (schema.items?.properties !== undefined) return settingsOf(schema.items, `${path}[]`);
  return [[code(path), typeOf(schema)]];
}

function typeOf(schema: JsonSchema): string {
  const choices = schema.const === undefined ? schema.enum : [schema.const];
  if (choices !== undefined) return choices.map(code).join(" ");
  const { type, items } = schema;
  if (type === "array") return `list of ${items?.type ?? "agents"}`;
  return `${type === "integer" ? "whole number" : (type ?? "see its type")}${rangeOf(schema)}`;
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: JsonSchema): string {
  const least = minimum ?? exclusiveMinimum;
  return least === undefined ? "" : ` from ${least} to ${maximum ?? "any"}`;
}
