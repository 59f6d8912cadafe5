import type { ModelFamily } from "@bridle/budget";

const older = /gpt-3\.?5|gpt-4(?![o.\d])/;
const openai = /gpt-|\bo\d/;

/** Whose tokenizer counts: told by the model's name, whoever serves it; `other` is the careful guess. */
export function familyOf(key: string): ModelFamily {
  if (older.test(key)) return "openai_older";
  if (openai.test(key)) return "openai";
  if (key.includes("claude")) return "anthropic";
  return key.includes("gemini") ? "gemini" : "other";
}
