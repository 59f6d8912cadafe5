/**
 * What a run's input schema may use. It is somebody else's program, run on the main loop, so it is held to what is
 * bounded by the size of schema times input:
 *
 * P1. No regular expressions (`pattern`, `patternProperties`): JavaScript's engine backtracks without bound, so one
 *     28-character pattern can stop the server. `enum`, `minLength`, `maxLength` and `propertyNames` with `enum` remain.
 * P2. References stay within the document, form no circle, and unfold to at most 2,000 places (thirty `anyOf`s that each
 *     name the next one twice would be a billion checks).
 * P3. `uniqueItems` only for lists of simple values: objects are compared pair by pair.
 */
import { isRecord } from "./read-tasks.ts";
import { escapePointer } from "./template.ts";

const mostPlaces = 2000;

export interface SchemaFault {
  readonly pointer: string;
  readonly message: string;
}

type Members = readonly (readonly [string, unknown])[];

const literals: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);
/** Keywords whose members are named by the author: a property called `pattern` is no pattern. */
const named: ReadonlySet<string> = new Set([
  "properties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);
const refused: Readonly<Record<string, string>> = {
  pattern:
    "pattern is not supported: a regular expression can block the server. Use enum, minLength or maxLength.",
  patternProperties:
    "patternProperties is not supported: a regular expression can block the server.",
  $dynamicRef: "Only $ref to a place in this schema is supported.",
  $recursiveRef: "Only $ref to a place in this schema is supported.",
  $id: "$id is not supported: the schema has no other name than its workflow.",
  $anchor: "$anchor is not supported; use $ref with a JSON pointer, such as #/$defs/name.",
};

/** Every breach of the policy. The schema's depth must have been bounded before. */
export function schemaFaults(schema: Readonly<Record<string, unknown>>): readonly SchemaFault[] {
  const walk = new SchemaWalk(schema);
  walk.visit(schema, "");
  if (walk.faults.length === 0) walk.unfold();
  return walk.faults;
}

class SchemaWalk {
  readonly faults: SchemaFault[] = [];
  readonly #root: Readonly<Record<string, unknown>>;

  constructor(root: Readonly<Record<string, unknown>>) {
    this.#root = root;
  }

  visit(value: unknown, pointer: string): void {
    for (const [key, member] of membersOf(value)) {
      const at = `${pointer}/${escapePointer(key)}`;
      const fault = isRecord(value) ? this.#faultOf(key, member, value) : undefined;
      if (fault !== undefined) this.faults.push({ pointer: at, message: fault });
      if (named.has(key) && isRecord(member)) {
        for (const [name, schema] of Object.entries(member)) {
          this.visit(schema, `${at}/${escapePointer(name)}`);
        }
      } else if (!literals.has(key)) this.visit(member, at);
    }
  }

  #faultOf(
    key: string,
    member: unknown,
    schema: Readonly<Record<string, unknown>>,
  ): string | undefined {
    if (Object.hasOwn(refused, key)) return refused[key];
    if (key === "uniqueItems" && member === true && !hasSimpleItems(schema)) {
      return "uniqueItems needs items of type string, number, integer or boolean.";
    }
    if (key !== "$ref") return undefined;
    if (typeof member !== "string" || !member.startsWith("#")) {
      return "Only $ref to a place in this schema is supported, such as #/$defs/name.";
    }
    return resolve(this.#root, member) === undefined ? `There is nothing at ${member}.` : undefined;
  }

  /** Counts the places of the schema with every reference written out. */
  unfold(): void {
    const sizes = new Map<unknown, number>();
    const open = new Set<unknown>();
    const sizeOf = (value: unknown): number => {
      if (typeof value !== "object" || value === null) return 0;
      const known = sizes.get(value);
      if (known !== undefined) return known;
      if (open.has(value)) return Infinity;
      open.add(value);
      let size = 1;
      for (const [key, member] of membersOf(value)) {
        // Definitions count where they are used.
        if (key === "$defs" || key === "definitions" || literals.has(key)) continue;
        const target = key === "$ref" ? resolve(this.#root, String(member)) : member;
        size += sizeOf(target);
      }
      open.delete(value);
      sizes.set(value, size);
      return size;
    };
    const size = sizeOf(this.#root);
    if (size === Infinity) {
      this.faults.push({
        pointer: "",
        message: "The schema refers to itself, which is not supported.",
      });
    } else if (size > mostPlaces) {
      this.faults.push({
        pointer: "",
        message: `With its references written out the schema has ${size} places; ${mostPlaces} are the limit.`,
      });
    }
  }
}

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function hasSimpleItems(schema: Readonly<Record<string, unknown>>): boolean {
  const items = schema["items"];
  const type = isRecord(items) ? items["type"] : undefined;
  return ["string", "number", "integer", "boolean"].includes(String(type));
}

function resolve(root: unknown, reference: string): unknown {
  let place = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof place !== "object" || place === null || !Object.hasOwn(place, key)) return undefined;
    place = (place as Readonly<Record<string, unknown>>)[key];
  }
  return place;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
