export { countFakeTokens } from "./count-tokens.ts";
export { defaultAnswer } from "./default-answer.ts";
export type { FakeRequest } from "./fake-request.ts";
export type { FakeCounters, ModelCounters } from "./provider-counters.ts";
export type { AnswerReply, FakeReply, FakeUsage } from "./reply.ts";
export type { FakeScript } from "./script.ts";
export { startFakeProvider } from "./start-fake-provider.ts";
export type { FakeProvider, FakeProviderOptions } from "./start-fake-provider.ts";
