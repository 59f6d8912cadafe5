import type {
  Amounts,
  BreakerTerms,
  EnvelopeTerms,
  JoinCondition,
  RetrySpec,
  SpawnCaps,
} from "@bridle/protocol";

export interface CompiledDependency {
  readonly task: string;
  readonly when: JoinCondition;
}

export interface CompiledTask {
  readonly id: string;
  /** A configured agent, or `llm` for a task written as a prompt. */
  readonly agent: string;
  readonly dependsOn: readonly CompiledDependency[];
  /** Whole `${{ … }}` expression; absent when the task is unconditional. */
  readonly if?: string | undefined;
  readonly forEach?:
    | {
        readonly items: unknown;
        readonly maxItems: number;
        readonly maxFailures: number;
        readonly concurrency: number;
      }
    | undefined;
  /** Template of the input: any JSON; strings may hold expressions. For `llm` tasks `{ model, prompt, system?, maxOutputTokens? }`. */
  readonly input: unknown;
  /** True when `if`, `forEach` or `input` need the evaluator. */
  readonly hasExpressions: boolean;
  readonly retry: RetrySpec;
  readonly timeout: { readonly stepMs?: number | undefined; readonly taskMs: number };
  /** The task's cap (each item's, in a fan-out). */
  readonly budget: EnvelopeTerms;
  readonly priority: "foreground" | "background";
  readonly allowModelFallback: boolean;
}

/** One task that may step in for several (BU-19). */
export interface CompiledDegrade {
  /** In workflow order. No path leads from one of them to another through a task that is not replaced as well. */
  readonly replace: readonly string[];
  /** Waits, whatever their end, for the tasks outside that the replaced ones wait for. */
  readonly with: CompiledTask;
  /** What must be free for it before anything is cancelled: the limits its author gave it, one call at least. */
  readonly opening: Amounts;
}

/** What a run pins at submit. Plain JSON; `format` is raised when its meaning changes. */
export interface CompiledWorkflow {
  readonly format: 1;
  readonly name: string;
  readonly version: number;
  /** In an order in which every task comes after its dependencies. */
  readonly tasks: readonly CompiledTask[];
  readonly budget: EnvelopeTerms;
  readonly onExceeded: "fail" | "pause" | "degrade";
  readonly runTimeoutMs: number;
  readonly onFailure: "fail_fast" | "continue";
  readonly breaker?: BreakerTerms | undefined;
  /** Who submitted the run, where callers have names: whose cached answers it may be given. */
  readonly tenant?: string | undefined;
  readonly degrade?: readonly CompiledDegrade[] | undefined;
  /** How much its runs may spawn; absent: LF-8's numbers. */
  readonly spawn?: SpawnCaps | undefined;
  readonly output?: unknown;
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
}
