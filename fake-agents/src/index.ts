export * from "./agents/index.ts";
export * from "./fake-llm/index.ts";
