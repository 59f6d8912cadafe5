import type { Amounts, Message, ModelResponse, SpawnRequestInput } from "@bridle/protocol";

/** A model call. Either `prompt` or `messages`. */
export interface LlmRequest {
  readonly prompt?: string | undefined;
  readonly messages?: readonly Message[] | undefined;
  readonly system?: string | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /**
   * Whether an answer given before to the same question will do. `prefer`: whenever there is one. `fallback`: only when a guard
   * refuses the call; the answer is then marked as degraded. Absent: never.
   */
  readonly cache?: "prefer" | "fallback" | undefined;
  /** Text while it streams. A throwing listener ends nothing; the whole text is in the answer. */
  readonly onDelta?: ((text: string) => void) | undefined;
}

export interface StepOptions {
  /**
   * True: `fn` may run again when an earlier attempt began it and left no result. Default false: the task then ends as
   * `unsafe_to_retry`, since nobody knows whether its effect happened.
   */
  readonly repeatable?: boolean | undefined;
}

export interface BudgetView {
  /** What the narrowest envelope above this task can still reserve. */
  readonly remaining: Amounts;
  readonly limit: Amounts;
}

export interface SpawnOptions extends Omit<SpawnRequestInput, "agent" | "input"> {
  /**
   * Names the task over the attempts of yours: whichever of them asks first spawns it, and the others are given the same one. Default:
   * the agent and its input, and how many alike came before.
   */
  readonly key?: string;
  /** Carved out of what this task can spend. Default: a tenth of that, in each of tokens, money and calls. */
  readonly budget?: SpawnRequestInput["budget"];
  /** With units, as in a workflow: `{ task: "5m" }`. Default: as this task's. */
  readonly timeout?: SpawnRequestInput["timeout"];
  /** Default: as any task's. */
  readonly retry?: SpawnRequestInput["retry"];
}

/** A task that this one spawned. */
export interface ChildTask<Output = unknown> {
  /** `plan.2` for the second that `plan` spawned. */
  readonly taskId: string;
  /** As `ctx.result` of it. */
  result(): Promise<Output>;
}

export interface AgentLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export interface AgentTrace {
  readonly runId: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly traceId: string;
}

/**
 * What an agent is given: every effect it has goes through here and is admitted, counted and journalled by its supervisor.
 * Rejections are errors with a stable `code`, `retryable` and `details`; let the ones you cannot handle pass, their meaning
 * survives (a `budget_refused` ends the task as BUDGET_EXCEEDED, not as FAILED).
 */
export interface AgentContext<Input = unknown> {
  readonly input: Input;
  readonly trace: AgentTrace;
  /** Aborted when the task is to stop; its reason is an error with a `code` (`cancelled`, `task_timeout`, `task_stalled`, …). */
  readonly signal: AbortSignal;
  /** The same over all attempts of this task: give it to services that know idempotency keys. */
  readonly idempotencyKey: string;
  readonly log: AgentLog;
  /** One model call: reserved, sent, settled. A step. */
  llm(model: string, request: LlmRequest): Promise<ModelResponse>;
  /** One call of a tool of this agent. A step. */
  tool(name: string, args?: unknown): Promise<unknown>;
  /** Runs `fn` once per task: its result (JSON) is stored before you see it and returned by later attempts. A step. */
  step<Result>(
    name: string,
    fn: () => Result | Promise<Result>,
    options?: StepOptions,
  ): Promise<Result>;
  /** Says "still here". Only a new step or a changed `progress` (≤ 256 characters) counts as advancing. */
  heartbeat(beat?: { readonly progress?: string; readonly step?: number }): void;
  /** Says that the task waits for something outside until `untilMs` (Unix ms): its clocks stand still till then. */
  waiting(on: string, untilMs: number): void;
  /**
   * The watchdog's latest hint that this task goes round in circles, once; undefined when there is none. Worth asking after each
   * tool call of an agent that lets a model choose: put it before the model. Who goes on is refused the call, and then stopped.
   */
  loopHint(): string | undefined;
  budget(): Promise<BudgetView>;
  /**
   * Asks for a task of another agent (or of this one), which must be among this agent's `spawns`. It has money of its own, carved out of
   * what this task can spend. Wait for its `result()`, or leave it: this task ends after all that it spawned. A step.
   * Rejects with `agent_unknown`, `spawn_undeclared`, `spawn_invalid`, `spawn_conflict`, with `spawn_limit` where the workflow's caps are
   * reached, or with `budget_refused`.
   */
  spawn<Output = unknown>(
    agent: string,
    input?: unknown,
    options?: SpawnOptions,
  ): Promise<ChildTask<Output>>;
  /**
   * The output of a task below this one, when it has ended. Meanwhile this task waits: its own clocks stand still, and it holds no slot of
   * its agent's concurrency. A step. Rejects with `child_failed` when it did not complete (`details.status`, `details.code`), and with
   * `wait_cycle` for a task that waits for this one.
   */
  result<Output = unknown>(taskId: string): Promise<Output>;
}
