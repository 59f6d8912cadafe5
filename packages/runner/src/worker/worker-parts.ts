import type { EnvReference } from "@bridle/agent";
import type { BreakerSet, Governor } from "@bridle/breaker";
import type { FactorBook } from "@bridle/budget";
import type { Bus } from "@bridle/bus";
import type { Clock, CodedError, Ids } from "@bridle/kernel";
import type { ModelCaller, Store } from "@bridle/ports";
import type { TaskId, RunId } from "@bridle/protocol";

import type { HoldKeeper } from "../admission/hold-keeper.ts";
import type { ReserveQueue } from "../admission/reserve-queue.ts";
import type { UnsettledCalls } from "../admission/unsettled-calls.ts";
import type { AnswerCache } from "../ladder/answer-cache.ts";
import type { RunnerSettings } from "../runner-settings.ts";
import type { Scanner } from "../scanner/scanner.ts";
import type { CallTimeouts } from "../supervision/call-timeouts.ts";

/** A line an agent logged or its process printed. Not an event: lines go to the process's log, not to the run's. */
export interface AgentLine {
  readonly source: "log" | "stdout" | "stderr";
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  readonly agent: string;
  readonly runId: RunId;
  readonly taskId: TaskId;
  readonly attempt: number;
  readonly traceId: string;
}

/** What all attempts of one worker share. */
export interface WorkerParts {
  readonly store: Store;
  /** Of all agents that this worker runs, the built-in one included. */
  readonly agentNames: ReadonlySet<string>;
  readonly models: ModelCaller;
  readonly breakers: BreakerSet;
  /** GV-1: counts per task over its attempts here. */
  readonly governor: Governor;
  readonly scanner: Scanner;
  readonly bus: Pick<Bus, "emit">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly workerId: string;
  readonly bootId: string;
  readonly settings: RunnerSettings;
  readonly holds: HoldKeeper;
  readonly unsettled: UnsettledCalls;
  readonly queue: ReserveQueue;
  readonly factors: FactorBook;
  readonly answers: AnswerCache;
  readonly timeouts: CallTimeouts;
  /** Why no step may be taken now (WD-17), if so. */
  readonly refusesSteps: () => CodedError | undefined;
  readonly resolveSecret: (reference: EnvReference) => Promise<string>;
  /** Contract: never throws, never blocks. */
  readonly onLine: (line: AgentLine) => void;
}
