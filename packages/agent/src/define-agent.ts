import type { AgentContext } from "./context.ts";
import type { ToolDefinition } from "./define-tool.ts";
import type { StandardSchema } from "./standard-schema.ts";

/** Why a task is asked to stop. */
export interface CancelReason {
  /** `cancelled`, `task_stalled`, `task_timeout`, `step_timeout`, `fenced`, `shutting_down`. */
  readonly code: string;
  readonly message: string;
}

/**
 * A tool whatever its argument type: what a registry holds. A function is contravariant in its arguments, so only `never` accepts
 * each `run`; a schema is covariant in what it yields, so only `unknown` accepts each `input`.
 */
export interface AnyTool extends Omit<ToolDefinition<never>, "input"> {
  readonly input: ToolDefinition["input"];
}

/** Where an agent's code runs: a process of its own, a thread of the worker, or the worker's own loop. */
export type Isolation = "process" | "thread" | "inline";

const isolations: readonly unknown[] = ["process", "thread", "inline"] satisfies Isolation[];

export interface AgentOptions<Input, Output> {
  /** Letters, digits, `_` and `-`; starts with a letter. `llm` is taken. */
  readonly name: string;
  /** `import.meta.url` of the file that exports this agent: isolates import it, and nothing else of the configuration. */
  readonly module: string;
  /** Default `process`. `thread` and `inline` share the worker's process and are for trusted code only. */
  readonly isolation?: Isolation | undefined;
  readonly trusted?: boolean | undefined;
  /** By the name `ctx.tool` calls them. */
  readonly tools?: Readonly<Record<string, AnyTool>> | undefined;
  /**
   * The models it calls, by their names in the configuration. Declared, a task of it is not started while nothing could answer any
   * of them: it is parked. Default: none are known, and a task waits at the step that is refused.
   */
  readonly models?: readonly string[] | undefined;
  /** Agents whose tasks it may spawn (`ctx.spawn`), by name; `llm` for a prompt. Default: none. */
  readonly spawns?: readonly string[] | undefined;
  /** Tasks of this agent at once per worker. Default 4. */
  readonly concurrency?: number | undefined;
  /** Checked in the isolate before the result leaves it. */
  readonly output?: StandardSchema<unknown, Output> | undefined;
  readonly run: (context: AgentContext<Input>, input: Input) => Output | Promise<Output>;
  /** May clean up within the grace (5 s); model and tool calls are refused by then. */
  readonly onCancel?:
    | ((context: AgentContext<Input>, reason: CancelReason) => void | Promise<void>)
    | undefined;
}

/** An agent with every option resolved. */
export interface AgentDefinition<Input = unknown, Output = unknown> {
  readonly kind: "bridle.agent";
  readonly name: string;
  readonly module: string;
  readonly isolation: Isolation;
  readonly trusted: boolean;
  readonly tools: Readonly<Record<string, AnyTool>>;
  readonly models: readonly string[];
  readonly spawns: readonly string[];
  readonly concurrency: number;
  readonly output: StandardSchema<unknown, Output> | undefined;
  readonly run: (context: AgentContext<Input>, input: Input) => Output | Promise<Output>;
  readonly onCancel:
    | ((context: AgentContext<Input>, reason: CancelReason) => void | Promise<void>)
    | undefined;
}

// As for tools: what a registry of agents holds, whatever their input.
export type AnyAgent = AgentDefinition<never>;

const agentName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Describes an agent. Throws TypeError for a bad name, a module that is no file URL, or untrusted inline code. */
export function defineAgent<Input = unknown, Output = unknown>(
  options: AgentOptions<Input, Output>,
): AgentDefinition<Input, Output> {
  const definition: AgentDefinition<Input, Output> = {
    kind: "bridle.agent",
    name: options.name,
    module: options.module,
    isolation: options.isolation ?? "process",
    trusted: options.trusted ?? false,
    tools: options.tools ?? {},
    models: options.models ?? [],
    spawns: options.spawns ?? [],
    concurrency: options.concurrency ?? 4,
    output: options.output,
    run: options.run,
    onCancel: options.onCancel,
  };
  const fault = faultOf(definition);
  if (fault !== undefined) throw new TypeError(fault);
  return definition;
}

function faultOf(agent: Omit<AgentDefinition, "run" | "onCancel" | "output">): string | undefined {
  if (!agentName.test(agent.name)) {
    return `"${agent.name}" is not an agent name: a letter, then up to 63 letters, digits, _ or -.`;
  }
  if (!agent.module.startsWith("file:")) {
    return `The agent "${agent.name}" needs module: import.meta.url, not "${agent.module}".`;
  }
  if (!isolations.includes(agent.isolation)) {
    return `The agent "${agent.name}" has isolation "${agent.isolation}"; expected "process", "thread" or "inline".`;
  }
  if (agent.isolation !== "process" && !agent.trusted) {
    return `The agent "${agent.name}" has isolation "${agent.isolation}" but is not marked trusted: its code shares the worker's memory and its keys. Set trusted: true or use isolation "process".`;
  }
  if (!Number.isInteger(agent.concurrency) || agent.concurrency < 1 || agent.concurrency > 1000) {
    return `The agent "${agent.name}" has concurrency ${agent.concurrency}; expected a whole number from 1 to 1000.`;
  }
  return undefined;
}

/** Structural, so that an agent made by another copy of this package is recognised. */
export function isAgentDefinition(value: unknown): value is AnyAgent {
  return (
    typeof value === "object" &&
    value !== null &&
    (value as { kind?: unknown }).kind === "bridle.agent" &&
    typeof (value as { run?: unknown }).run === "function"
  );
}
