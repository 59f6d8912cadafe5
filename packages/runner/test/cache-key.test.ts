import { describe, expect, it } from "vitest";

import { cacheKey, modelFamily } from "../src/ladder/cache-key.ts";
import type { CacheQuestion } from "../src/ladder/cache-key.ts";

const question: CacheQuestion = {
  target: "openai/gpt-x",
  tenant: "key_1",
  request: { model: "smart", system: "Be brief.", prompt: "What is 2 + 2?", temperature: 0 },
};

const key = (
  change: Partial<CacheQuestion["request"]>,
  rest: Partial<CacheQuestion> = {},
): string => cacheKey({ ...question, ...rest, request: { ...question.request, ...change } });

describe("[BU-18] the name of a question", () => {
  const same = key({});

  it.each([
    [
      "the same words sent as messages",
      {
        system: undefined,
        prompt: undefined,
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "What is 2 + 2?" },
        ],
      },
      {},
    ],
    ["other line ends and blanks at the ends of lines", { system: "Be brief.  \r\n" }, {}],
    ["another name of the same model in the configuration", { model: "clever" }, {}],
    ["another edition of the same model", {}, { target: "openai/gpt-x-2026-01-31" }],
    ["another wish about the cache itself", { cache: "prefer" }, {}],
  ] as const)("is the same for %s", (_, change, rest) => {
    expect(key(change as Partial<CacheQuestion["request"]>, rest)).toBe(same);
  });

  it.each([
    ["another tenant", {}, { tenant: "key_2" }],
    ["no tenant", {}, { tenant: undefined }],
    ["another model", {}, { target: "openai/gpt-y" }],
    ["other words", { prompt: "What is 2 + 3?" }, {}],
    ["a word with another case", { prompt: "what is 2 + 2?" }, {}],
    ["another temperature", { temperature: 0.1 }, {}],
    ["another bound on the answer", { maxOutputTokens: 5 }, {}],
    [
      "the system's words said by the user",
      {
        system: undefined,
        prompt: undefined,
        messages: [
          { role: "user", content: "Be brief." },
          { role: "user", content: "What is 2 + 2?" },
        ],
      },
      {},
    ],
    ["two messages joined into one", { system: "Be brief.What is 2 + 2?", prompt: "" }, {}],
  ] as const)("is another for %s", (_, change, rest) => {
    expect(key(change as Partial<CacheQuestion["request"]>, rest)).not.toBe(same);
  });

  it("a family is a model without its date", () => {
    expect(
      ["a/m-20260131", "a/m-2026-01-31", "a/m@latest", "a/m-latest", "a/m-4", "a/m-2"].map(
        modelFamily,
      ),
    ).toEqual(["a/m", "a/m", "a/m", "a/m", "a/m-4", "a/m-2"]);
  });
});
