import { expect, it } from "vitest";

import { familyOf } from "../src/models/family-of.ts";

it.each([
  ["openai/gpt-5-mini", "openai"],
  ["openai/gpt-4o", "openai"],
  ["openai/gpt-4.1-nano", "openai"],
  ["openai/o3-mini", "openai"],
  ["openrouter/openai/gpt-oss-120b", "openai"],
  ["openai/gpt-4", "openai_older"],
  ["openai/gpt-4-turbo-2024-04-09", "openai_older"],
  ["azure/gpt-35-turbo", "openai_older"],
  ["openai/gpt-3.5-turbo", "openai_older"],
  ["anthropic/claude-sonnet-4-5", "anthropic"],
  ["google/gemini-2.5-pro", "gemini"],
  ["local/llama-3", "other"],
])("[BU-15] %s is counted as %s counts", (key, family) => {
  expect(familyOf(key)).toBe(family);
});
