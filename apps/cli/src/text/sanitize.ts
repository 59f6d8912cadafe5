/**
 * What a terminal would obey or a reader would be deceived by: C0 and C1 controls, DEL, and marks that reorder text or
 * hide in it (B200).
 */
// oxlint-disable no-control-regex -- finding control characters is the point
const dangerous =
  /[\u0000-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;
// oxlint-enable no-control-regex

/** Text of models, tools and servers on one line: everything a terminal would act on is spelled out. */
export function oneLine(text: string): string {
  return text.replace(dangerous, escape);
}

/** As `oneLine`, but lines and tabs stay. A lone carriage return does not: it overwrites what was printed. */
export function manyLines(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(dangerous, (character) => (/[\n\t]/.test(character) ? character : escape(character)));
}

/** JSON that is safe to print: the same value, with such characters written as `\u….`. */
export function safeJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? "null";
  return text.replace(dangerous, (character) =>
    character === "\n" ? character : escape(character),
  );
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
