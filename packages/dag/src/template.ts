import { celBindings } from "./cel-bindings.ts";
/**
 * Templates: any JSON in whose strings `${{ … }}` holds CEL.
 *
 * T1. A string that is one whole expression takes the value with its type; otherwise each expression's text is put in.
 * T2. One pass: what an expression yields is data, never read as a template again (B197). Keys are never interpreted.
 * T3. Parsed templates are bounded: depth, number of strings, size of the result.
 */
import { firstLine, parseExpression } from "./expression.ts";
import type { Expression, Parsed, TaskReference } from "./expression.ts";
import { toJsonValue } from "./to-json-value.ts";

type Segment = string | Expression;

/** A string taken apart; `whole` when it is one expression and nothing else. */
export interface StringTemplate {
  readonly segments: readonly Segment[];
  readonly whole: boolean;
}

const opening = "${{";

export function hasExpression(text: string): boolean {
  return text.includes(opening);
}

export function parseString(text: string): Parsed<StringTemplate> {
  const segments: Segment[] = [];
  let from = 0;
  for (let start = text.indexOf(opening); start !== -1; start = text.indexOf(opening, from)) {
    const end = closing(text, start + opening.length);
    if (end === undefined)
      return { ok: false, message: "An expression that begins with ${{ has no end }}." };
    const parsed = parseExpression(text.slice(start + opening.length, end).trim());
    if (!parsed.ok) return parsed;
    if (start > from) segments.push(text.slice(from, start));
    segments.push(parsed.value);
    from = end + 2;
  }
  if (from < text.length) segments.push(text.slice(from));
  return { ok: true, value: { segments, whole: isWhole(segments) } };
}

/** Blanks around a lone expression do not make it a text: YAML block strings end in a line break. */
function isWhole(segments: readonly Segment[]): boolean {
  const texts = segments.filter((segment) => typeof segment === "string");
  return segments.length - texts.length === 1 && texts.every((text) => text.trim() === "");
}

/** Index of the `}}` that ends the expression: the first outside of quotes and of braces opened within. */
function closing(text: string, from: number): number | undefined {
  let depth = 0;
  for (let index = from; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"' || character === "'") index = endOfQuote(text, index);
    else if (character === "{") depth += 1;
    else if (character === "}") {
      if (depth === 0 && text.charAt(index + 1) === "}") return index;
      depth -= 1;
    }
  }
  return undefined;
}

/** Index of the quote that ends the one at `start`, or of the text's end. */
function endOfQuote(text: string, start: number): number {
  const quote = text.charAt(start);
  let index = start + 1;
  while (index < text.length && text.charAt(index) !== quote) {
    index += text.charAt(index) === "\\" ? 2 : 1;
  }
  return index;
}

/** Strings of a template that hold expressions, each with its JSON pointer relative to the template. */
export function* templateStrings(
  template: unknown,
  pointer = "",
): Generator<{ readonly text: string; readonly pointer: string }> {
  if (typeof template === "string") {
    if (hasExpression(template)) yield { text: template, pointer };
  } else if (Array.isArray(template)) {
    for (const [index, value] of template.entries()) {
      yield* templateStrings(value, `${pointer}/${index}`);
    }
  } else if (typeof template === "object" && template !== null) {
    for (const [key, value] of Object.entries(template)) {
      yield* templateStrings(value, `${pointer}/${escapePointer(key)}`);
    }
  }
}

export function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Which outputs and states of other tasks a template reads, each once. Strings that cannot be parsed name none. */
export function referencesOf(template: unknown): readonly TaskReference[] {
  const found = new Map<string, TaskReference>();
  for (const { text } of templateStrings(template)) {
    const parsed = parseCached(text);
    if (!parsed.ok) continue;
    for (const segment of parsed.value.segments) {
      if (typeof segment === "string") continue;
      for (const reference of segment.tasks) {
        found.set(`${reference.task}.${reference.field}`, reference);
      }
    }
  }
  return [...found.values()];
}

/** Items of a fan-out use the same few strings thousands of times. */
const cacheSize = 500;
const cache = new Map<string, Parsed<StringTemplate>>();

function parseCached(text: string): Parsed<StringTemplate> {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const parsed = parseString(text);
  if (cache.size >= cacheSize) cache.clear();
  cache.set(text, parsed);
  return parsed;
}

export type TemplateAnswer =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly code: "expression_failed" | "expression_invalid";
      readonly message: string;
    };

class TemplateFault extends Error {
  override readonly name = "TemplateFault";
  readonly code: "expression_failed" | "expression_invalid";

  constructor(code: TemplateFault["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** Bindings: `input`, `item`, `index`, `tasks.<id>.output|status`, plain JSON. Bounds no time: run it in a thread. */
export function evaluateTemplate(
  template: unknown,
  bindings: Readonly<Record<string, unknown>>,
): TemplateAnswer {
  try {
    return { ok: true, value: fill(template, celBindings(bindings)) };
  } catch (error) {
    if (error instanceof TemplateFault) {
      return { ok: false, code: error.code, message: error.message };
    }
    return { ok: false, code: "expression_failed", message: firstLine(error) };
  }
}

function fill(template: unknown, bindings: Readonly<Record<string, unknown>>): unknown {
  if (typeof template === "string") {
    return hasExpression(template) ? fillString(template, bindings) : template;
  }
  if (Array.isArray(template)) return template.map((value) => fill(value, bindings));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [key, fill(value, bindings)]),
  );
}

function fillString(text: string, bindings: Readonly<Record<string, unknown>>): unknown {
  const parsed = parseCached(text);
  if (!parsed.ok) throw new TemplateFault("expression_invalid", parsed.message);
  const { segments, whole } = parsed.value;
  if (whole) {
    const only = segments.find((segment) => typeof segment !== "string");
    return only === undefined ? text : toJsonValue(only.evaluate(bindings));
  }
  return segments.map((segment) => textOf(segment, bindings)).join("");
}

/** Nothing is written for null; lists and objects are written as JSON. */
function textOf(segment: Segment, bindings: Readonly<Record<string, unknown>>): string {
  if (typeof segment === "string") return segment;
  const value = toJsonValue(segment.evaluate(bindings));
  if (typeof value === "string") return value;
  return value === null ? "" : JSON.stringify(value);
}
