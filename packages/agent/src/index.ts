export type {
  AgentContext,
  AgentLog,
  AgentTrace,
  BudgetView,
  ChildTask,
  LlmRequest,
  SpawnOptions,
  StepOptions,
} from "./context.ts";
export { defineAgent, isAgentDefinition } from "./define-agent.ts";
export type {
  AgentDefinition,
  AgentOptions,
  AnyAgent,
  AnyTool,
  CancelReason,
  Isolation,
} from "./define-agent.ts";
export { defineConfig } from "./define-config.ts";
export type {
  ApiKeySource,
  BridleConfig,
  GuardMode,
  GuardsConfig,
  ModelConfig,
  ModelPrice,
  PriceRates,
  ProviderConfig,
  ProviderProfile,
  ServerConfig,
  WebhookConfig,
} from "./define-config.ts";
export { defineTool } from "./define-tool.ts";
export type { ToolContext, ToolCost, ToolDefinition, ToolOptions } from "./define-tool.ts";
export { env, isEnvReference, type EnvReference } from "./env.ts";
export { describeIssues } from "./standard-schema.ts";
export type { StandardIssue, StandardResult, StandardSchema } from "./standard-schema.ts";
