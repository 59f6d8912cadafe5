import { Duration, UnsignedInt } from "@marcbachmann/cel-js/evaluator";

import { expressionLimits } from "./expression.ts";

/**
 * What an expression yielded, as JSON: integers become numbers while a number can hold them exactly, times become text.
 * Throws a sentence for what JSON has no form for, and when the result grows beyond the limit (a short expression can
 * name one large value thousands of times).
 */
export function toJsonValue(value: unknown): unknown {
  let left: number = expressionLimits.resultCharacters;
  const spend = (characters: number): void => {
    left -= characters;
    if (left < 0) throw new Error("The result is larger than 1 MiB.");
  };
  const convert = (each: unknown): unknown => {
    spend(2);
    if (each === null || each === undefined) return null;
    if (typeof each === "object") return convertObject(each);
    if (typeof each === "string") spend(each.length);
    return convertScalar(each);
  };
  const convertObject = (each: object): unknown => {
    if (Array.isArray(each)) return each.map(convert);
    const scalar = convertScalarObject(each);
    if (scalar !== undefined) return scalar;
    const entries = each instanceof Map ? [...each] : Object.entries(each);
    return Object.fromEntries(
      entries.map(([key, member]: [unknown, unknown]) => {
        spend(String(key).length + 2);
        return [String(key), convert(member)];
      }),
    );
  };
  return convert(value);
}

function convertScalar(value: unknown): unknown {
  if (typeof value === "number") return finite(value);
  if (typeof value === "bigint") return safeInteger(value);
  if (typeof value === "string" || typeof value === "boolean") return value;
  throw new Error(`A ${typeof value} has no form in JSON.`);
}

function convertScalarObject(value: object): unknown {
  if (value instanceof UnsignedInt) return safeInteger(value.value);
  if (value instanceof Duration) return value.toString();
  if ("toISOString" in value && typeof value.toISOString === "function") {
    return (value.toISOString as () => string)();
  }
  if (value instanceof Map || isPlain(value)) return undefined;
  throw new Error("The result is of a type that has no form in JSON (bytes, a type).");
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new Error(`${value} has no form in JSON.`);
  return value;
}

function safeInteger(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) {
    throw new Error(`${value} is too large for an exact number; use string().`);
  }
  return number;
}
