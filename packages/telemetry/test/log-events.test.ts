import { asRunId, asTaskId } from "@bridle/protocol";
import type { BridleEvent } from "@bridle/protocol";
import { expect, it } from "vitest";

import { logEvents } from "../src/index.ts";
import type { EventSource } from "../src/index.ts";
import { written } from "./support.ts";

const run = { at: 5, runId: asRunId("run_1") };
const task = { ...run, taskId: asTaskId("plan"), attempt: 1 };
const heartbeat: BridleEvent = { type: "task.heartbeat", ...task, step: 1, status: "RUNNING" };

/** As much of a bus as a subscriber sees. */
class OneHandlerBus implements EventSource {
  #handler: ((event: BridleEvent) => void) | undefined;

  onAny(handler: (event: BridleEvent) => void): () => void {
    this.#handler = handler;
    return () => {
      this.#handler = undefined;
    };
  }

  emit(event: BridleEvent): void {
    this.#handler?.(event);
  }

  get hasHandler(): boolean {
    return this.#handler !== undefined;
  }
}

function logged(options: { sampleEvery?: number } = {}) {
  const bus = new OneHandlerBus();
  const output = written();
  const stop = logEvents({
    bus,
    logger: output.logger,
    processTraceId: "trace-of-process",
    ...options,
  });
  return { bus, stop, ...output };
}

it("[O1] every line has a trace: the event's own, its run's as heard before, or the process's", () => {
  const { bus, lines } = logged();
  bus.emit({ type: "run.started", ...run, traceId: "trace-1" });
  bus.emit({ type: "run.resumed", ...run, by: "ada" });
  bus.emit({ type: "run.resumed", ...run, runId: asRunId("run_2"), by: "ada" });
  bus.emit({ type: "clock_gap", at: 5, gapMs: 3000 });

  expect(lines().map(({ traceId }) => traceId)).toEqual([
    "trace-1",
    "trace-1",
    "trace-of-process",
    "trace-of-process",
  ]);
});

it("[O2] a step is logged with agent, model, tokens and duration", () => {
  const { bus, lines } = logged();
  bus.emit({ type: "task.started", ...task, agent: "writer", isolation: "process" });
  bus.emit({
    type: "step.finished",
    ...task,
    step: 3,
    kind: "llm",
    key: "provider:acme/small",
    outcome: "success",
    durationMs: 812,
    model: "acme/small",
    inputTokens: 1200,
    outputTokens: 80,
  });

  expect(lines()[1]).toMatchObject({
    level: "info",
    msg: "step.finished",
    runId: "run_1",
    taskId: "plan",
    attempt: 1,
    agent: "writer",
    model: "acme/small",
    inputTokens: 1200,
    outputTokens: 80,
    durationMs: 812,
  });
});

it("[O2] beats are sampled at debug; what a model says is never logged", () => {
  const { bus, lines } = logged({ sampleEvery: 10 });
  for (let index = 0; index < 25; index += 1) bus.emit(heartbeat);
  bus.emit({ type: "llm.delta", ...task, step: 1, text: "private" });

  expect(lines().map(({ level, msg }) => `${String(level)} ${String(msg)}`)).toEqual([
    "debug task.heartbeat",
    "debug task.heartbeat",
    "debug task.heartbeat",
  ]);
});

it.each([
  [{ type: "alert", at: 5, severity: "critical", message: "spent" }, "error"],
  [{ type: "alert", at: 5, severity: "warning", message: "spending" }, "warn"],
  [{ type: "alert", at: 5, severity: "info", message: "recovered" }, "info"],
  [{ type: "breaker.close", at: 5, key: "tool:a", tier: "tool" }, "info"],
  [{ type: "breaker.half_open", at: 5, key: "tool:a", tier: "tool" }, "info"],
  [{ type: "task.stalled", ...task, layer: "tool", step: 4, repeatBeats: 3, silentMs: 1 }, "warn"],
  [{ type: "run.finished", ...run, status: "COMPLETED", degraded: [], hasOutput: true }, "info"],
  [{ type: "run.finished", ...run, status: "FAILED", degraded: [], hasOutput: false }, "warn"],
] satisfies [BridleEvent, string][])("%j is logged at %s", (event, level) => {
  const { bus, lines } = logged();

  bus.emit(event);

  expect(lines()).toMatchObject([{ level, msg: event.type }]);
});

it("stops when told to, and leaves no handler behind", () => {
  const { bus, stop, raw } = logged();
  stop();

  bus.emit({ type: "clock_gap", at: 5, gapMs: 1 });

  expect([raw.length, bus.hasHandler]).toEqual([0, false]);
});
