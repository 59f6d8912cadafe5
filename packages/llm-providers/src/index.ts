export { createOpenAiCompatibleTarget } from "./openai-compatible-target.ts";
export type { OpenAiCompatibleTargetOptions } from "./openai-compatible-target.ts";
export { loadPriceList } from "./price-list.ts";
export type { ListedPrice, PriceList, PriceQuery } from "./price-list.ts";
export { LazyTokenCounter } from "./token-counter.ts";
