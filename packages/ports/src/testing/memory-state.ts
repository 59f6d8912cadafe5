/**
 * The shared state of the memory store: one record per run, and the moves that several ports make on it.
 *
 * 1. Every port method does its work in one synchronous turn, so each is atomic as one statement of a real store is.
 * 2. A run's `seq` is given here alone, so it has no gaps and is the order of commits.
 * 3. Nothing is appended after `run.finished`; the ledger books on (`moveLedger`), without entries.
 */
import { initialLedger, reduceLedger } from "@bridle/budget";
import type { LedgerInput, LedgerState, LedgerStep, OuterState } from "@bridle/budget";
import type { Clock } from "@bridle/kernel";
import { alertSources } from "@bridle/protocol";
import type {
  FleetEvent,
  LogEntry,
  RunEvent,
  RunId,
  RunStatus,
  Spender,
  TaskId,
} from "@bridle/protocol";

import type { Claim, Finish } from "../attempts.ts";
import type { FeedChannel } from "../feed.ts";
import type { InboxEntry, InboxMessage } from "../inbox.ts";
import type { AlertSignal, DeliveryRecord } from "../outbox.ts";
import type { NewRun, StoredRun } from "../run-log.ts";
import { jsonCopy } from "./json-copy.ts";

interface StepRecord {
  readonly attempt: number;
  result: string | undefined;
}

export interface TaskRecord {
  fence: number;
  /** Wall ms at which the fence was last raised. */
  fencedAt: number;
  graceUsedMs: number;
  output: string | undefined;
  readonly claims: Map<number, Claim>;
  readonly finishes: Map<number, Finish>;
  readonly stops: Map<number, string>;
  readonly steps: Map<string, StepRecord>;
}

export interface RunRecord {
  readonly order: number;
  readonly submitted: NewRun;
  ledger: LedgerState;
  readonly log: LogEntry[];
  readonly inputs: Map<string, string>;
  /** By task and key. */
  readonly answers: Map<string, string>;
  readonly tasks: Map<string, TaskRecord>;
  readonly timers: Map<string, number>;
  status: RunStatus;
  updatedAt: number;
  decisions: number;
  ended: boolean;
  output: string | undefined;
  snapshot: StoredRun["snapshot"];
}

export interface LeaseRecord {
  holder: string | undefined;
  epoch: number;
  /** Monotonic ms of the store's clock. */
  until: number;
}

export interface StoredAlert {
  readonly id: string;
  readonly body: string;
  readonly createdAt: number;
  readonly deliveries: Map<string, DeliveryRecord>;
}

export interface OutboxRecord {
  readonly signals: AlertSignal[];
  /** Oldest first. */
  readonly alerts: StoredAlert[];
  state: string | undefined;
}

export interface MemoryState {
  readonly clock: Clock;
  readonly runs: Map<RunId, RunRecord>;
  /** By scope; the ledgers of the runs below share these objects. */
  readonly outer: Map<string, OuterState>;
  readonly idempotency: Map<string, NewRun>;
  readonly inbox: Map<string, InboxEntry>;
  readonly leases: Map<string, LeaseRecord>;
  /** Claims without an accepted finish: workers ask for theirs all the time, whatever the size of the runs. */
  readonly openClaims: Set<Claim>;
  readonly outbox: OutboxRecord;
  readonly publish: (channel: FeedChannel, detail: string) => void;
  /** Numbers inbox entries, signals and runs. */
  counter: number;
}

export function initialMemoryState(options: Pick<MemoryState, "clock" | "publish">): MemoryState {
  return {
    ...options,
    runs: new Map(),
    outer: new Map(),
    idempotency: new Map(),
    inbox: new Map(),
    leases: new Map(),
    openClaims: new Set(),
    outbox: { signals: [], alerts: [], state: undefined },
    counter: 0,
  };
}

export function newRunRecord(
  run: NewRun,
  { order, above }: { readonly order: number; readonly above: readonly OuterState[] },
): RunRecord {
  const { runId, traceId, budget: terms } = run;
  return {
    order,
    submitted: run,
    ledger: initialLedger({ runId, traceId, terms, above }),
    log: [],
    inputs: new Map(),
    answers: new Map(),
    tasks: new Map(),
    timers: new Map(),
    status: "QUEUED",
    updatedAt: run.at,
    decisions: 0,
    ended: false,
    output: undefined,
    snapshot: undefined,
  };
}

export function taskOf(run: RunRecord, taskId: TaskId): TaskRecord {
  const known = run.tasks.get(taskId);
  if (known) return known;
  const task: TaskRecord = {
    fence: 0,
    fencedAt: 0,
    graceUsedMs: 0,
    output: undefined,
    claims: new Map(),
    finishes: new Map(),
    stops: new Map(),
    steps: new Map(),
  };
  run.tasks.set(taskId, task);
  return task;
}

export function answerId(taskId: string, key: string): string {
  return `${taskId} ${key}`;
}

/** The run, unless the spender's attempt is older than its task's fence, or the run is unknown or over. */
export function unfencedRun(state: MemoryState, spender: Spender): RunRecord | undefined {
  const run = state.runs.get(spender.runId);
  if (run === undefined || run.ended) return undefined;
  return spender.attempt < (run.tasks.get(spender.taskId)?.fence ?? 0) ? undefined : run;
}

export function append(state: MemoryState, run: RunRecord, events: readonly RunEvent[]): void {
  if (run.ended || events.length === 0) return;
  // A copy, as every real store makes one: what a caller changes later is not in the log.
  for (const event of events) {
    const copy = jsonCopy(event);
    run.log.push({ ...copy, seq: run.log.length + 1 });
    signal(state, `${run.submitted.runId}.${run.log.length}`, copy);
  }
  state.publish("run", run.submitted.runId);
}

const sources: ReadonlySet<string> = new Set(alertSources);
/** With nobody to read them they would grow without end. */
const mostSignals = 10_000;

/** What `Outbox` promises of every entry that is stored. */
export function signal(state: MemoryState, source: string, event: RunEvent | FleetEvent): void {
  if (!sources.has(event.type)) return;
  const { signals } = state.outbox;
  signals.push({ id: `${++state.counter}`, source, event });
  signals.splice(0, Math.max(0, signals.length - mostSignals));
}

/** One move of the run's ledger together with its entries in the log. */
export function moveLedger<Input extends LedgerInput>(
  state: MemoryState,
  run: RunRecord,
  input: Input,
): LedgerStep<Input["type"]>[1] {
  const [, answer, events] = reduceLedger(run.ledger, input);
  append(state, run, events);
  return answer;
}

export function putInbox(state: MemoryState, runId: RunId, message: InboxMessage): void {
  const id = `in_${++state.counter}`;
  state.inbox.set(id, { id, runId, message });
  state.publish("inbox", runId);
}
