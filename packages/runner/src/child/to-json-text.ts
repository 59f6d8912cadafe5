/** A value as the JSON text that crosses; or why it is none. */
export type JsonText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/**
 * Nothing returned is `null`. NUL and lone surrogates come out escaped, as JSON allows. BigInts, cycles, functions and throwing
 * getters have no JSON form and say so.
 */
export function toJsonText(value: unknown): JsonText {
  if (value === undefined) return { ok: true, text: "null" };
  try {
    // The declared type hides that JSON.stringify answers undefined for functions and symbols.
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) return { ok: false, reason: `a ${typeof value} has no JSON form` };
    return { ok: true, text };
  } catch (error) {
    return {
      ok: false,
      reason: error instanceof Error ? error.message : "it cannot be serialised",
    };
  }
}
