/** A stretch of text that tokenizers treat alike. */
export interface TextRun {
  readonly kind: RunKind;
  readonly text: string;
}

const scripts = [
  "latin",
  "greek",
  "cyrillic",
  "arabic",
  "indic",
  "thai",
  "hangul",
  "kana",
  "han",
  "wideMark",
  "other",
] as const;
type Script = (typeof scripts)[number];

/** Tokens per character of each script beyond ASCII. */
export type ScriptRates = Readonly<Record<Script, number>>;

type RunKind = "dense" | "word" | "upper" | "digits" | "space" | "blank" | "mark" | Script;

/** In the order of the groups of `outerRuns`. */
const outerKinds: readonly ("alphanumeric" | RunKind)[] = [
  "alphanumeric",
  "space",
  "blank",
  "mark",
  ...scripts,
];

/** Every character falls into exactly one group, and no group can backtrack. */
const outerRuns =
  /([A-Za-z0-9]+)|( )|(\s+)|([!-/:-@[-`{-~]+)|([\u00C0-\u024F\u1E00-\u1EFF]+)|([\u0370-\u03FF]+)|([\u0400-\u052F]+)|([\u0590-\u06FF]+)|([\u0900-\u0DFF]+)|([\u0E00-\u0EFF]+)|([\uAC00-\uD7AF]+)|([\u3040-\u30FF]+)|([\u3400-\u9FFF\uF900-\uFAFF]+)|([\u2000-\u206F\u3000-\u303F\uFF00-\uFFEF]+)|([\s\S])/gu;

const innerRuns = /([A-Z]?[a-z]+)|([A-Z]+(?![a-z]))|([0-9]+)|([A-Z])/g;
const innerKinds: readonly RunKind[] = ["word", "upper", "digits", "upper"];

export function* textRuns(text: string): Generator<TextRun> {
  for (const match of text.matchAll(outerRuns)) {
    const kind = outerKinds[groupOf(match)] ?? "other";
    if (kind !== "alphanumeric") yield { kind, text: match[0] };
    else yield* alphanumericRuns(match[0]);
  }
}

/** A hash or a piece of base64 is one dense run; `maxOutputTokens` falls into its words. */
function* alphanumericRuns(text: string): Generator<TextRun> {
  if (text.length >= 8 && /[0-9]/.test(text) && /[A-Za-z]/.test(text)) {
    yield { kind: "dense", text };
    return;
  }
  for (const match of text.matchAll(innerRuns)) {
    yield { kind: innerKinds[groupOf(match)] ?? "word", text: match[0] };
  }
}

function groupOf(match: RegExpExecArray): number {
  return match.findIndex((group, index) => index > 0 && group !== undefined) - 1;
}

/** By kind of run; `before` is the kind of the run to its left, which words and spaces may join. */
const asciiTokens: Readonly<
  Record<Exclude<RunKind, Script>, (text: string, before: string) => number>
> = {
  word: (text, before) => wordTokens(text, ["word", "upper", "digits"].includes(before)),
  upper: ({ length }) => (length <= 2 ? 1 : length / 2.3),
  digits: ({ length }) => Math.ceil(length / 3),
  dense: ({ length }) => length * 0.7,
  // Joins the word that follows; after a number or a mark it often does not.
  space: (_, before) => (before === "digits" || before === "mark" ? 0.3 : 0.02),
  blank: (text) => (/\n[^\n]/.test(text) ? 2 : 1 + Math.floor(text.length / 32)),
  mark: ({ length }) => (length === 1 ? 1 : 0.8 + (length - 1) * 0.4),
};

/** Tokens of one run, not rounded. */
export function runTokens({ kind, text }: TextRun, before: string, rates: ScriptRates): number {
  return isScript(kind) ? text.length * rates[kind] : asciiTokens[kind](text, before);
}

function isScript(kind: RunKind): kind is Script {
  return (scripts as readonly string[]).includes(kind);
}

function wordTokens(word: string, isGlued: boolean): number {
  const { length } = word;
  if (length <= 3) return 1;
  const vowels = word.match(/[aeiouy]/gi)?.length ?? 0;
  // Hardly pronounceable, so not in any vocabulary.
  if (vowels * 5 < length) return length * 0.65;
  if (isGlued) return Math.max(1, length / 3.2);
  return length <= 7 ? 1.05 : 1.05 + (length - 7) / 3.6;
}
