/**
 * How many tokens a text will be, without a tokenizer (BU-15): where none is public, until it is loaded, and for texts that would
 * take it too long. `countedTokens` makes the same of a count.
 *
 * 1. `tokens` is meant never to be too low, and at most 1.6 times the true count for prose, code, CJK, JSON and UUIDs.
 *    The rates were fitted to `o200k_base` (OpenAI) and `cl100k_base` (everybody else, who need more for most scripts);
 *    the corpus in the tests holds them to both bounds.
 * 2. `most` is the length in UTF-8 bytes: no byte-level tokenizer yields more. It caps the estimate, and the
 *    reservation made from it; the safety factor does not apply to it.
 * 3. Linear in the text, whatever it holds.
 */
import { runTokens, textRuns } from "./text-runs.ts";
import type { ScriptRates } from "./text-runs.ts";

export interface TokenEstimate {
  readonly tokens: number;
  readonly most: number;
}

/**
 * Whose tokenizer will count. `openai` since gpt-4o and o1, `openai_older` before. `other` is as careful as the most careful.
 */
export type ModelFamily = "openai" | "openai_older" | "anthropic" | "gemini" | "other";

/** Byte-pair encodings that are public. */
export type TokenEncoding = "o200k_base" | "cl100k_base";

interface FamilyRule {
  readonly encoding: TokenEncoding;
  /** In hundredths, on top of the fitted rates and of a count alike; never above 135 (BU-15). */
  readonly marginPercent: number;
}

/**
 * OpenAI's tokenizers are public; its margin is for what the rates miss. The others' are not: they are assumed to need no more than
 * `cl100k_base`, the older and coarser of the two public vocabularies, and a margin. Calibration corrects it.
 */
const familyRules: Readonly<Record<ModelFamily, FamilyRule>> = {
  openai: { encoding: "o200k_base", marginPercent: 105 },
  openai_older: { encoding: "cl100k_base", marginPercent: 105 },
  gemini: { encoding: "cl100k_base", marginPercent: 115 },
  anthropic: { encoding: "cl100k_base", marginPercent: 125 },
  other: { encoding: "cl100k_base", marginPercent: 125 },
};

/** The encoding whose counts `countedTokens` takes for this family. */
export function encodingOf(family: ModelFamily = "other"): TokenEncoding {
  return familyRules[family].encoding;
}

/** Tokens per character of `o200k_base`, each rounded up to what the densest text of the corpus needs. */
const modernRates: ScriptRates = {
  latin: 0.6,
  greek: 0.45,
  cyrillic: 0.32,
  arabic: 0.45,
  indic: 0.4,
  thai: 0.48,
  hangul: 0.8,
  kana: 0.85,
  han: 0.87,
  wideMark: 1,
  other: 3,
};

/** As above, of `cl100k_base`. */
const olderRates: ScriptRates = {
  latin: 1.3,
  greek: 1.1,
  cyrillic: 0.55,
  arabic: 0.95,
  indic: 1.28,
  thai: 1.05,
  hangul: 1.4,
  kana: 1.1,
  han: 1.3,
  wideMark: 1,
  other: 3,
};

export function estimateTokens(text: string, family: ModelFamily = "other"): TokenEstimate {
  const { encoding } = familyRules[family];
  const rates = encoding === "o200k_base" ? modernRates : olderRates;
  let sum = 0;
  let before = "";
  for (const run of textRuns(text)) {
    sum += runTokens(run, before, rates);
    before = run.kind;
  }
  return withMargin(sum, text, family);
}

/** The estimate of a text of which the family's encoding makes so many tokens. */
export function countedTokens(
  count: number,
  text: string,
  family: ModelFamily = "other",
): TokenEstimate {
  return withMargin(count, text, family);
}

function withMargin(count: number, text: string, family: ModelFamily): TokenEstimate {
  const most = utf8Length(text);
  const tokens = Math.ceil((count * familyRules[family].marginPercent) / 100);
  return { tokens: Math.min(tokens, most), most };
}

/** Tokens that wrap each message and open the answer, as providers count them. */
const perMessage = 4;
const perRequest = 3;

export function estimateMessages(
  messages: readonly { readonly role: string; readonly content: string }[],
  family: ModelFamily = "other",
): TokenEstimate {
  return sumMessages(messages.map(({ content }) => estimateTokens(content, family)));
}

/** The estimate of a request whose messages have these. */
export function sumMessages(estimates: readonly TokenEstimate[]): TokenEstimate {
  let [tokens, most] = [perRequest, perRequest];
  for (const estimate of estimates) {
    tokens += estimate.tokens + perMessage;
    most += estimate.most + perMessage;
  }
  return { tokens, most };
}

/** Without `TextEncoder`, which would copy the text; a lone surrogate counts as its replacement character. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Both halves of a pair take the place of 4 bytes; each unit has been counted once already.
    if (unit >= 0x800) bytes += isPaired(text, index) ? 1 : 2;
    else if (unit >= 0x80) bytes += 1;
  }
  return bytes;
}

function isPaired(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit >= 0xd800 && unit < 0xdc00) return isBetween(text.charCodeAt(index + 1), 0xdc00, 0xe000);
  return isBetween(unit, 0xdc00, 0xe000) && isBetween(text.charCodeAt(index - 1), 0xd800, 0xdc00);
}

function isBetween(unit: number, from: number, to: number): boolean {
  return unit >= from && unit < to;
}
