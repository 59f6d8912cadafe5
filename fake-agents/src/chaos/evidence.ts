import type { EnvelopeView, RunView } from "@bridle/protocol";

import type { ModelCounters } from "../fake-llm/index.ts";

/** An entry of a run's log, as the API gives it. */
export interface LogEvent {
  readonly type: string;
  readonly at: number;
  readonly [member: string]: unknown;
}

/** What one play of a scenario left to be read. Plain data: predicates need nothing else. */
export interface Evidence {
  readonly view: RunView;
  readonly log: readonly LogEvent[];
  readonly envelopes: readonly EnvelopeView[];
  /** What the scenario's provider had counted when the villain ended. */
  readonly countedAtEnd: ModelCounters;
  /** And after everything of the round had ended. */
  readonly countedLater: ModelCounters;
  /** Live processes under the villain's tokens right after its end. */
  readonly aliveAtEnd: readonly number[];
  /** And when the installation had been stopped. */
  readonly aliveLater: readonly number[];
  /** Requests still open at the provider when everything had ended. */
  readonly openLater: number;
  /** Nobody stopped it in time, so the plug was pulled. */
  readonly wasUnplugged: boolean;
  /** A credential of the installation that no agent may ever see. */
  readonly canary: string;
}

export const noCalls: ModelCounters = { requests: 0, promptTokens: 0, completionTokens: 0 };

/** Events with which a guard speaks its verdict over a task. */
const verdicts: ReadonlySet<string> = new Set(["task.stalled", "task.timed_out"]);

const ends: ReadonlySet<string> = new Set([
  "task.completed",
  "task.failed",
  "task.cancelled",
  "task.skipped",
]);

export function eventsOf({ log }: Pick<Evidence, "log">, taskId: string): readonly LogEvent[] {
  return log.filter((event) => event["taskId"] === taskId);
}

export function isEnd({ type }: Pick<LogEvent, "type">): boolean {
  return ends.has(type);
}

export interface StopTimes {
  /** From the task's first start to its end; undefined when it never started or never ended. */
  readonly livedMs: number | undefined;
  /** From the watchdog's last verdict to the end; undefined where it had none to give. */
  readonly reclaimMs: number | undefined;
}

/** Read from the events' own times, all stamped by one process. */
export function stopTimes(evidence: Pick<Evidence, "log">, taskId: string): StopTimes {
  const events = eventsOf(evidence, taskId);
  const startedAt = events.find(({ type }) => type === "task.started")?.at;
  const endedAt = events.findLast(isEnd)?.at;
  const verdictAt = events.findLast(({ type }) => verdicts.has(type))?.at;
  return {
    livedMs: startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt,
    reclaimMs: verdictAt === undefined || endedAt === undefined ? undefined : endedAt - verdictAt,
  };
}
