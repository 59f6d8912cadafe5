export { createOpenAiCompatibleTarget } from "./openai-compatible-target.ts";
export type { OpenAiCompatibleTargetOptions } from "./openai-compatible-target.ts";
