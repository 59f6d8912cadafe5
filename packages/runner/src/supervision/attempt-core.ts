import type { AnyAgent } from "@bridle/agent";
import type { CodedError } from "@bridle/kernel";
import { bridleError } from "@bridle/protocol";
import type { FromIsolate, JournalEvent, Spender, TaskEnvelope } from "@bridle/protocol";
import { graceMs } from "@bridle/watchdog";

import type { AdmissionParts } from "../admission/admission-parts.ts";
import { TaskAdmission } from "../admission/task-admission.ts";
import { deferred } from "../deferred.ts";
import type { LadderMemory } from "../ladder/climb-ladder.ts";
import type { Watch } from "../scanner/scanner.ts";
import { Coalescer } from "../wire/coalescer.ts";
import type { TaskSlot } from "../worker/task-slot.ts";
import type { WorkerParts } from "../worker/worker-parts.ts";
import { AnswerDesk } from "./answer-desk.ts";
import type { AttemptScope, StopRequest } from "./attempt-scope.ts";
import { JournalWriter } from "./journal-writer.ts";
import { LoopWatch } from "./loop-watch.ts";
import { OpenTools } from "./open-tools.ts";
import { StepBook } from "./step-book.ts";
import { StepClocks } from "./step-clocks.ts";
import { StepKeys } from "./step-keys.ts";

export interface AttemptCoreOptions {
  readonly worker: WorkerParts;
  readonly spender: Spender;
  readonly traceId: string;
  readonly agent: AnyAgent;
  readonly envelope: TaskEnvelope;
  readonly watch: Watch;
  readonly slot: TaskSlot;
  /** What the task's earlier attempts have used of its grace. */
  readonly graceUsedMs: number;
}

type Beat = Extract<FromIsolate, { type: "beat" }>["beat"];

const beatIntervalMs = 200;

/**
 * The books of one attempt: its steps, journal, clocks, gate, beats, and the one order to stop it. Knows no isolate.
 */
export class AttemptCore {
  readonly options: AttemptCoreOptions;
  readonly degraded = new Set<string>();
  readonly journal: JournalWriter;
  /** Resolves when the attempt is to stop. */
  readonly stopped = deferred<StopRequest>();
  readonly #abort = new AbortController();
  readonly #beats: Coalescer<Beat>;
  /** Monotonic, of the order that counts. */
  stoppedAtMs: number | undefined;
  #stop: StopRequest | undefined;
  #isOver = false;
  #deadlineMs: number;
  #lastStep = 0;
  #nudge: (hint: string) => void = () => {};
  readonly clocks: StepClocks;
  readonly admission: TaskAdmission;
  readonly steps: StepBook;
  readonly loops: LoopWatch;
  readonly #keys = new StepKeys();
  readonly #tools = new OpenTools();
  readonly #desk: AnswerDesk;
  readonly #ladder: LadderMemory = { stay: undefined };

  constructor(options: AttemptCoreOptions) {
    const { worker, spender, traceId, envelope, watch } = options;
    const { clock, store, settings } = worker;
    this.options = options;
    this.#deadlineMs = clock.monotonicMs() + envelope.taskMs;
    this.journal = new JournalWriter({
      append: async (events) => store.runs.journal(spender, events),
      clock,
      onRefused: () => this.#stopFor(bridleError("fenced")),
      onFull: () => this.#stopFor(bridleError("step_limit", { message: journalFull })),
    });
    this.#desk = new AnswerDesk({
      inbox: store.inbox,
      feed: store.feed,
      clock,
      everyMs: settings.pollMs,
      runId: spender.runId,
      signal: this.signal,
    });
    this.clocks = new StepClocks(watch, clock, (ms) => {
      this.#deadlineMs += ms;
    });
    this.admission = new TaskAdmission(this.#admissionParts());
    this.steps = new StepBook({
      spender,
      traceId,
      clock,
      maxSteps: settings.maxStepsPerTask,
      journal: (event) => this.write(event),
      onLimit: (error) => this.#stopFor(error),
    });
    this.loops = new LoopWatch({
      spender,
      clock,
      mode: settings.watchdogMode,
      graceUntilMs: clock.monotonicMs() + graceOf(options),
      journal: (event) => this.write(event),
      stop: (request) => this.stop(request),
      nudge: (hint) => this.#nudge(hint),
    });
    this.#beats = new Coalescer(clock, beatIntervalMs, (beat) => this.#applyBeat(beat));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  scope(folder: string | undefined): AttemptScope {
    const { worker, spender, traceId, agent, envelope } = this.options;
    return {
      worker,
      spender,
      traceId,
      agent,
      envelope,
      folder,
      admission: this.admission,
      steps: this.steps,
      clocks: this.clocks,
      keys: this.#keys,
      tools: this.#tools,
      loops: this.loops,
      signal: this.signal,
      deadlineMs: () => this.#deadlineMs,
      journal: (event) => this.write(event),
      beat: (step) => this.#stepEnded(step),
      degrade: (what) => this.degraded.add(what),
      desk: this.#desk,
      slot: this.options.slot,
      ladder: this.#ladder,
      stop: (request) => this.stop(request),
    };
  }

  /** The run's log and this process's bus hear the same, under the run's trace (O1). */
  write(event: JournalEvent): void {
    const { traceId, worker } = this.options;
    const traced = { ...event, traceId };
    this.journal.push(traced);
    worker.bus.emit(traced);
  }

  /** First order wins; after the attempt's end none does (B179). Marks, then aborts everything that listens. */
  stop(request: StopRequest): void {
    if (this.#isOver || this.#stop !== undefined) return;
    this.#stop = request;
    this.stoppedAtMs = this.options.worker.clock.monotonicMs();
    if (request.mark !== undefined) this.write(request.mark);
    this.admission.stop(request.error);
    this.#abort.abort(request.error);
    this.stopped.resolve(request);
  }

  /** Whoever can tell the agent of a loop; before, nobody can. */
  onNudge(nudge: (hint: string) => void): void {
    this.#nudge = nudge;
  }

  hearBeat(beat: Beat): void {
    this.#beats.push(beat);
  }

  /** The agent has said its last word or is gone. What it left running is aborted. */
  over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#beats.close();
    const error = bridleError("cancelled", { message: "The task has ended." });
    this.admission.stop(error);
    if (!this.signal.aborted) this.#abort.abort(error);
  }

  #applyBeat(beat: Beat): void {
    const { watch, spender, traceId, worker } = this.options;
    // An agent without a numbering of its own beats with the number of the last step that ended.
    const step = beat.step === 0 ? this.#lastStep : beat.step;
    const { status } = beat;
    watch.beat({ ...beat, step });
    const at = worker.clock.wallMs();
    const base = { ...spender, traceId, at, step };
    worker.bus.emit({ type: "task.heartbeat", ...base, status });
    if (beat.progress !== undefined) {
      worker.bus.emit({ type: "task.progress", ...base, message: beat.progress });
    }
    if (status !== "WAITING" || beat.waitMs === undefined) return;
    this.#deadlineMs += beat.waitMs;
    const on = beat.waitingOn ?? "unknown";
    this.write({ type: "task.waiting", ...spender, at, on, until: at + beat.waitMs });
  }

  #stepEnded(step: number): void {
    this.#lastStep = Math.max(this.#lastStep, step);
    if (!this.#isOver) this.options.watch.beat({ status: "RUNNING", step: this.#lastStep });
  }

  #stopFor(error: CodedError): void {
    const cause = error.code === "step_limit" ? "limit" : "cancelled";
    this.stop({ cause, error, acceptsResult: false });
  }

  #admissionParts(): AdmissionParts {
    const { worker, spender, traceId, envelope } = this.options;
    const { store, settings, clock, ids, breakers, governor, holds, unsettled, queue } = worker;
    const { refusesSteps } = worker;
    return {
      spender,
      traceId,
      envelopeTokens: envelope.envelopeTokens,
      clock,
      ids,
      ledger: store.ledger,
      breakers,
      governor,
      budgetMode: settings.budgetMode,
      openingHold: this.options.envelope.openingHold,
      holds,
      unsettled,
      queue,
      fenceMs: settings.selfFenceMs,
      signal: this.signal,
      journal: (event) => this.write(event),
      refusesSteps,
      onSettled: (step) => this.#stepEnded(step),
    };
  }
}

/** WD-10: 30 s of an attempt, 60 s of a task. */
function graceOf({ worker, graceUsedMs }: AttemptCoreOptions): number {
  return Math.max(0, Math.min(graceMs, worker.settings.graceMs - graceUsedMs));
}

const journalFull = "The task has written as many journal entries as it may.";
