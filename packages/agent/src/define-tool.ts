import type { EnvReference } from "./env.ts";
import type { StandardSchema } from "./standard-schema.ts";

export interface ToolContext {
  /** Aborted when the task is to stop or the tool's time is up. */
  readonly signal: AbortSignal;
  /** The same over all attempts for the same call. */
  readonly idempotencyKey: string;
  /** Values of the tool's `secrets`; only in the supervisor, empty in an isolate. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface ToolCost {
  readonly tokens?: number | undefined;
  /** Billionths of a US dollar per call, reserved before it and settled after it (BU-20). */
  readonly nanoUsd?: number | undefined;
}

export interface ToolOptions<Args, Result> {
  /** Letters, digits, `_` and `-`; starts with a letter. */
  readonly name: string;
  readonly description: string;
  readonly input?: StandardSchema<unknown, Args> | undefined;
  /** True: a call is never repeated; its result is journalled, and a call without one makes the task `unsafe_to_retry`. */
  readonly sideEffects?: boolean | undefined;
  /** True: calls with unchanged results are no loop (WD-18). */
  readonly polling?: boolean | undefined;
  /** Default: `supervisor` when the tool has secrets, else `isolate`. */
  readonly runs?: "isolate" | "supervisor" | undefined;
  readonly cost?: ToolCost | undefined;
  /** Milliseconds of one call. Default: the installation's. */
  readonly timeoutMs?: number | undefined;
  readonly secrets?: Readonly<Record<string, EnvReference>> | undefined;
  /** `caller`: failures that carry `status` 4xx are the agent's fault and count against no tool (BR-14). */
  readonly fault?: "caller" | "tool" | undefined;
  readonly run: (args: Args, context: ToolContext) => Result | Promise<Result>;
}

/** A tool with every option resolved. */
export interface ToolDefinition<Args = unknown, Result = unknown> {
  readonly kind: "bridle.tool";
  readonly name: string;
  readonly description: string;
  readonly input: StandardSchema<unknown, Args> | undefined;
  readonly sideEffects: boolean;
  readonly polling: boolean;
  readonly runs: "isolate" | "supervisor";
  readonly cost: ToolCost | undefined;
  readonly timeoutMs: number | undefined;
  readonly secrets: Readonly<Record<string, EnvReference>>;
  readonly fault: "caller" | "tool";
  readonly run: (args: Args, context: ToolContext) => Result | Promise<Result>;
}

const toolName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/**
 * Describes a tool. Throws TypeError for a bad name, for a cost or a timeout that is none, and for secrets in an isolate:
 * what an isolate holds, its agent can read.
 */
export function defineTool<Args = unknown, Result = unknown>(
  options: ToolOptions<Args, Result>,
): ToolDefinition<Args, Result> {
  if (!toolName.test(options.name)) {
    throw new TypeError(
      `"${options.name}" is not a tool name: a letter, then up to 63 letters, digits, _ or -.`,
    );
  }
  const secrets = options.secrets ?? {};
  const hasSecrets = Object.keys(secrets).length > 0;
  if (hasSecrets && options.runs === "isolate") {
    throw new TypeError(
      `The tool "${options.name}" has secrets, so it cannot run in an isolate; leave "runs" away or set "supervisor".`,
    );
  }
  refuseBadNumbers(options);
  return {
    kind: "bridle.tool",
    name: options.name,
    description: options.description,
    input: options.input,
    sideEffects: options.sideEffects ?? false,
    polling: options.polling ?? false,
    runs: options.runs ?? (hasSecrets ? "supervisor" : "isolate"),
    cost: options.cost,
    timeoutMs: options.timeoutMs,
    secrets,
    fault: options.fault ?? "tool",
    run: options.run,
  };
}

function refuseBadNumbers({
  name,
  cost,
  timeoutMs,
}: Pick<ToolOptions<never, unknown>, "name" | "cost" | "timeoutMs">): void {
  const numbers = [
    ["cost.tokens", cost?.tokens, 0],
    ["cost.nanoUsd", cost?.nanoUsd, 0],
    ["timeoutMs", timeoutMs, 1],
  ] as const;
  for (const [key, value, least] of numbers) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= least)) continue;
    throw new TypeError(
      `The tool "${name}" has ${key} ${value}; expected a whole number of at least ${least}.`,
    );
  }
}
