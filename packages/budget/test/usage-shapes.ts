import { parsePrice } from "@bridle/budget";
import type { Price, UsageDialect } from "@bridle/budget";
import type { TokenUsage } from "@bridle/protocol";

/** What one provider reports of one call, in the order its reports arrive, and what that is worth. */
export interface UsageShape {
  readonly name: string;
  readonly dialect: UsageDialect;
  readonly reports: readonly unknown[];
  readonly usage: TokenUsage;
  readonly price: Price;
  /** Tokens × nano-USD per token, one product per line of the bill; undefined: the usage is not known well enough. */
  readonly nanoUsd: number | undefined;
}

const gpt5 = parsePrice({
  inputUsdPerMillion: "1.25",
  cachedInputUsdPerMillion: "0.125",
  outputUsdPerMillion: "10",
});
const sonnet = parsePrice({
  inputUsdPerMillion: "3",
  cachedInputUsdPerMillion: "0.3",
  cacheWriteUsdPerMillion: "3.75",
  longCacheWriteUsdPerMillion: "6",
  outputUsdPerMillion: "15",
});
const geminiPro = parsePrice({
  inputUsdPerMillion: "1.25",
  cachedInputUsdPerMillion: "0.125",
  outputUsdPerMillion: "10",
  tiers: [
    {
      aboveInputTokens: 200_000,
      inputUsdPerMillion: "2.5",
      cachedInputUsdPerMillion: "0.25",
      outputUsdPerMillion: "15",
    },
  ],
});

const openai: readonly UsageShape[] = [
  {
    name: "OpenAI chat: cached input within the input, reasoning within the output",
    dialect: "openai",
    reports: [
      null,
      {
        prompt_tokens: 2006,
        completion_tokens: 300,
        total_tokens: 2306,
        prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 192,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
    ],
    usage: {
      inputTokens: 2006,
      outputTokens: 300,
      cachedInputTokens: 1920,
      reasoningTokens: 192,
    },
    price: gpt5,
    nanoUsd: 86 * 1250 + 1920 * 125 + 300 * 10_000,
  },
  {
    name: "OpenAI responses: the same under other names",
    dialect: "openai",
    reports: [
      {
        input_tokens: 328,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 52,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 380,
      },
    ],
    usage: { inputTokens: 328, outputTokens: 52, cachedInputTokens: 0, reasoningTokens: 0 },
    price: gpt5,
    nanoUsd: 328 * 1250 + 52 * 10_000,
  },
  {
    name: "OpenAI responses, incomplete: what was used until then",
    dialect: "openai",
    reports: [{ input_tokens: 900, output_tokens: 300, total_tokens: 1200 }],
    usage: { inputTokens: 900, outputTokens: 300 },
    price: gpt5,
    nanoUsd: 900 * 1250 + 300 * 10_000,
  },
  {
    name: "xAI: reasoning counted in the total alone",
    dialect: "openai",
    reports: [
      {
        prompt_tokens: 32,
        completion_tokens: 9,
        total_tokens: 151,
        prompt_tokens_details: { text_tokens: 32, cached_tokens: 6 },
        completion_tokens_details: { reasoning_tokens: 110 },
      },
    ],
    usage: { inputTokens: 32, outputTokens: 119, cachedInputTokens: 6, reasoningTokens: 110 },
    price: gpt5,
    nanoUsd: 26 * 1250 + 6 * 125 + 119 * 10_000,
  },
  {
    name: "DeepSeek: cache hits beside the details",
    dialect: "openai",
    reports: [
      {
        prompt_tokens: 1000,
        completion_tokens: 20,
        total_tokens: 1020,
        prompt_cache_hit_tokens: 960,
        prompt_cache_miss_tokens: 40,
      },
    ],
    usage: { inputTokens: 1000, outputTokens: 20, cachedInputTokens: 960 },
    price: gpt5,
    nanoUsd: 40 * 1250 + 960 * 125 + 20 * 10_000,
  },
];

const anthropicStart = {
  input_tokens: 21,
  cache_creation_input_tokens: 188_086,
  cache_read_input_tokens: 400,
  cache_creation: { ephemeral_5m_input_tokens: 188_000, ephemeral_1h_input_tokens: 86 },
  output_tokens: 1,
  service_tier: "standard",
};

const anthropic: readonly UsageShape[] = [
  {
    name: "Anthropic messages: cached input apart from the input",
    dialect: "anthropic",
    reports: [{ ...anthropicStart, output_tokens: 393 }],
    usage: {
      inputTokens: 188_507,
      outputTokens: 393,
      cachedInputTokens: 400,
      cacheWriteTokens: 188_086,
      longCacheWriteTokens: 86,
    },
    price: sonnet,
    nanoUsd: 21 * 3000 + 400 * 300 + 188_000 * 3750 + 86 * 6000 + 393 * 15_000,
  },
  {
    name: "Anthropic stream: cumulative from message_start to the last message_delta",
    dialect: "anthropic",
    reports: [anthropicStart, { output_tokens: 12 }, { output_tokens: 393 }],
    usage: {
      inputTokens: 188_507,
      outputTokens: 393,
      cachedInputTokens: 400,
      cacheWriteTokens: 188_086,
      longCacheWriteTokens: 86,
    },
    price: sonnet,
    nanoUsd: 21 * 3000 + 400 * 300 + 188_000 * 3750 + 86 * 6000 + 393 * 15_000,
  },
  {
    name: "Anthropic stream, cut after message_start: the output is a floor",
    dialect: "anthropic",
    reports: [{ input_tokens: 100, output_tokens: 1 }],
    usage: { inputTokens: 100, outputTokens: 1 },
    price: sonnet,
    nanoUsd: 100 * 3000 + 1 * 15_000,
  },
  {
    name: "Anthropic, the input missing beside its cached part: unknown, not the part",
    dialect: "anthropic",
    reports: [{ cache_read_input_tokens: 400, output_tokens: 5 }],
    usage: { cachedInputTokens: 400, outputTokens: 5 },
    price: sonnet,
    nanoUsd: undefined,
  },
];

const gemini: readonly UsageShape[] = [
  {
    name: "Gemini: cached input within the prompt, thoughts beside the candidates",
    dialect: "gemini",
    reports: [
      { promptTokenCount: 1000, totalTokenCount: 1000 },
      {
        promptTokenCount: 1000,
        cachedContentTokenCount: 800,
        candidatesTokenCount: 100,
        thoughtsTokenCount: 200,
        totalTokenCount: 1300,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 1000 }],
      },
    ],
    usage: {
      inputTokens: 1000,
      outputTokens: 300,
      cachedInputTokens: 800,
      reasoningTokens: 200,
    },
    price: geminiPro,
    nanoUsd: 200 * 1250 + 800 * 125 + 300 * 10_000,
  },
  {
    name: "Gemini, cut while it thought: thoughts are all the output there is",
    dialect: "gemini",
    reports: [{ promptTokenCount: 10, thoughtsTokenCount: 61, totalTokenCount: 71 }],
    usage: { inputTokens: 10, outputTokens: 61, reasoningTokens: 61 },
    price: geminiPro,
    nanoUsd: 10 * 1250 + 61 * 10_000,
  },
  {
    name: "Gemini with tools of its own: what they put into the prompt is input",
    dialect: "gemini",
    reports: [
      {
        promptTokenCount: 50,
        toolUsePromptTokenCount: 400,
        candidatesTokenCount: 30,
        totalTokenCount: 480,
      },
    ],
    usage: { inputTokens: 450, outputTokens: 30 },
    price: geminiPro,
    nanoUsd: 450 * 1250 + 30 * 10_000,
  },
  {
    name: "Gemini above 200,000 tokens of prompt: all of the call at the higher price",
    dialect: "gemini",
    reports: [
      {
        promptTokenCount: 200_001,
        cachedContentTokenCount: 100_000,
        candidatesTokenCount: 10,
        totalTokenCount: 200_011,
      },
    ],
    usage: { inputTokens: 200_001, outputTokens: 10, cachedInputTokens: 100_000 },
    price: geminiPro,
    nanoUsd: 100_001 * 2500 + 100_000 * 250 + 10 * 15_000,
  },
  {
    name: "Gemini through its OpenAI-compatible API: thoughts in the total alone",
    dialect: "openai",
    reports: [{ prompt_tokens: 8, completion_tokens: 9, total_tokens: 340 }],
    usage: { inputTokens: 8, outputTokens: 332 },
    price: geminiPro,
    nanoUsd: 8 * 1250 + 332 * 10_000,
  },
];

export const usageShapes: readonly UsageShape[] = [...openai, ...anthropic, ...gemini];
