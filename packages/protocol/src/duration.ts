import { z } from "zod";

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const wholeDuration = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const part = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** No configured time is longer: the longest default (a paused run) is 30 days. */
const longestMs = 366 * 86_400_000;

/**
 * Milliseconds of a duration such as `90s`, `10m` or `1h30m`; undefined when it is not one.
 * A bare number has no meaning here: seconds and milliseconds are mixed up too easily.
 */
export function parseDuration(text: string): number | undefined {
  if (!wholeDuration.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(part))
    totalMs += Number(amount) * (unitMs[unit ?? ""] ?? Number.NaN);
  const rounded = Math.round(totalMs);
  return Number.isSafeInteger(rounded) && rounded <= longestMs ? rounded : undefined;
}

/** Accepts `90s`, yields milliseconds. */
export const durationSchema = z
  .string({ error: "Expected a duration with a unit, such as 90s, 10m or 1h30m." })
  .transform((text, context) => {
    const ms = parseDuration(text);
    if (ms !== undefined) return ms;
    context.issues.push({
      code: "custom",
      message: `"${text}" is not a duration. Write a number with a unit (ms, s, m, h, d), such as 90s, 10m or 1h30m, up to 366d.`,
      input: text,
    });
    return z.NEVER;
  });
