/**
 * Events → lines. The message is the event's type, everything else a field.
 *
 * 1. Every line has a trace id: the event's own, else that of its run as heard before, else this process's (O1).
 * 2. Each step is a line with agent, model, tokens and duration (O2). Beats and progress are sampled, at debug.
 * 3. What a model says is never logged: deltas are left out.
 */
import type { Logger } from "@bridle/ports";
import type { BridleEvent } from "@bridle/protocol";

import { BoundedMap } from "./bounded-map.ts";
import { eventLevel } from "./event-level.ts";

/** The part of a bus this needs. */
export interface EventSource {
  onAny(handler: (event: BridleEvent) => void): () => void;
}

export interface LogEventsOptions {
  readonly bus: EventSource;
  readonly logger: Logger;
  /** Trace of what belongs to no run: this process's own work. */
  readonly processTraceId: string;
  /** Of so many beats, and of so many progress notes, one is logged. Default 100. */
  readonly sampleEvery?: number | undefined;
}

/** Runs, and tasks, whose trace and agent are remembered. */
const remembered = 10_000;

class EventLines {
  readonly #logger: Logger;
  readonly #processTraceId: string;
  readonly #sampleEvery: number;
  readonly #traces = new BoundedMap<string>(remembered);
  readonly #agents = new BoundedMap<string>(remembered);
  readonly #seen = { "task.heartbeat": 0, "task.progress": 0 };

  constructor({ logger, processTraceId, sampleEvery = 100 }: LogEventsOptions) {
    this.#logger = logger;
    this.#processTraceId = processTraceId;
    this.#sampleEvery = sampleEvery;
  }

  write(event: BridleEvent): void {
    if (event.type === "llm.delta" || this.#isSampledOut(event)) return;
    const { type, ...fields } = event;
    const traceId = this.#traceOf(event);
    this.#logger[eventLevel(event)](type, { ...this.#agentOf(event), ...fields, traceId });
  }

  #isSampledOut({ type }: BridleEvent): boolean {
    if (type !== "task.heartbeat" && type !== "task.progress") return false;
    const index = this.#seen[type];
    this.#seen[type] = (index + 1) % this.#sampleEvery;
    return index !== 0;
  }

  #traceOf(event: BridleEvent): string {
    const runId = "runId" in event ? event.runId : undefined;
    if (event.traceId !== undefined && runId !== undefined) this.#traces.set(runId, event.traceId);
    const ofRun = runId === undefined ? undefined : this.#traces.get(runId);
    return event.traceId ?? ofRun ?? this.#processTraceId;
  }

  #agentOf(event: BridleEvent): { readonly agent?: string } {
    if (event.type === "task.started") {
      this.#agents.set(`${event.runId}/${event.taskId}`, event.agent);
    }
    if (event.type !== "step.finished") return {};
    const agent = this.#agents.get(`${event.runId}/${event.taskId}`);
    return agent === undefined ? {} : { agent };
  }
}

/** Logs what a bus carries until the returned function is called. */
export function logEvents(options: LogEventsOptions): () => void {
  const lines = new EventLines(options);
  return options.bus.onAny((event) => lines.write(event));
}
