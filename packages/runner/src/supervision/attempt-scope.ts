import type { AnyAgent } from "@bridle/agent";
import type { CodedError } from "@bridle/kernel";
import type { EndCause, JournalEvent, Spender, TaskEnvelope } from "@bridle/protocol";

import type { TaskAdmission } from "../admission/task-admission.ts";
import type { LadderMemory } from "../ladder/climb-ladder.ts";
import type { TaskSlot } from "../worker/task-slot.ts";
import type { WorkerParts } from "../worker/worker-parts.ts";
import type { AnswerDesk } from "./answer-desk.ts";
import type { LoopWatch } from "./loop-watch.ts";
import type { OpenTools } from "./open-tools.ts";
import type { StepBook } from "./step-book.ts";
import type { StepClocks } from "./step-clocks.ts";
import type { StepKeys } from "./step-keys.ts";

/** Why an attempt is to end before its agent says so. The first one counts. */
export interface StopRequest {
  readonly cause: EndCause;
  /** What agent and calls in flight are told. */
  readonly error: CodedError;
  /** The mark: what is announced before anything is done about it (WD-13). */
  readonly mark?: JournalEvent | undefined;
  /** WD-14: whether a result that arrives before the kill still counts. Not after a cancel: what was cancelled stays so. */
  readonly acceptsResult: boolean;
  readonly evidence?: Readonly<Record<string, unknown>> | undefined;
}

/** What serving one attempt's requests needs. */
export interface AttemptScope {
  readonly worker: WorkerParts;
  readonly spender: Spender;
  readonly traceId: string;
  readonly agent: AnyAgent;
  readonly envelope: TaskEnvelope;
  /** Exchange folder of the isolate. */
  readonly folder: string | undefined;
  readonly admission: TaskAdmission;
  readonly steps: StepBook;
  readonly clocks: StepClocks;
  readonly keys: StepKeys;
  readonly tools: OpenTools;
  readonly loops: LoopWatch;
  /** Aborted when the attempt is to stop, with the error as its reason. */
  readonly signal: AbortSignal;
  /** Instant of the monotonic clock after which nothing is sent; announced waits move it. */
  readonly deadlineMs: () => number;
  readonly journal: (event: JournalEvent) => void;
  /** The supervisor's own beat: this step has ended. */
  readonly beat: (step: number) => void;
  readonly degrade: (what: string) => void;
  /** Where it asks the scheduler, and waits. */
  readonly desk: AnswerDesk;
  /** What it holds of its agent's concurrency. */
  readonly slot: TaskSlot;
  /** Where this attempt stays on the ladder. */
  readonly ladder: LadderMemory;
  readonly stop: (request: StopRequest) => void;
}
