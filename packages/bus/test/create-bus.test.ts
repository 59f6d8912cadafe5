import type { BridleEvent } from "@bridle/protocol";
import { expect, it, vi } from "vitest";

import { createBus } from "../src/index.ts";
import type { Bus, HandlerFailure } from "../src/index.ts";

const gap = (gapMs: number): BridleEvent => ({ type: "clock_gap", at: 0, gapMs });
const opened: BridleEvent = {
  type: "breaker.half_open",
  at: 0,
  key: "tool:secret-payload",
  tier: "tool",
};
const alert = (message: string): BridleEvent => ({
  type: "alert",
  at: 0,
  severity: "info",
  message,
});

function busWithFailures(): { bus: Bus; failures: HandlerFailure[] } {
  const failures: HandlerFailure[] = [];
  return { bus: createBus({ onHandlerError: (failure) => failures.push(failure) }), failures };
}

it("[E1] delivers an event to the handlers of its type and to those of all, and to nobody else", () => {
  const { bus } = busWithFailures();
  const seen: string[] = [];
  bus.on("clock_gap", (event) => void seen.push(`gap ${event.gapMs}`));
  bus.on("alert", () => void seen.push("alert"));
  bus.onAny((event) => void seen.push(`any ${event.type}`));

  bus.emit(gap(7));

  expect(seen).toEqual(["gap 7", "any clock_gap"]);
});

it("[GC-3] [B209] a handler that throws, and one that rejects, reach neither the emitter nor their neighbours", async () => {
  const { bus, failures } = busWithFailures();
  const neighbour = vi.fn<() => void>();
  bus.on("breaker.half_open", () => {
    throw new Error("first");
  });
  bus.on("breaker.half_open", () => Promise.reject(new Error("second")));
  bus.on("breaker.half_open", neighbour);

  bus.emit(opened);
  await Promise.resolve();

  expect(neighbour).toHaveBeenCalledTimes(1);
  expect(failures).toEqual([
    { type: "breaker.half_open", error: new Error("first") },
    { type: "breaker.half_open", error: new Error("second") },
  ]);

  bus.emit(opened);
  await Promise.resolve();
  expect(neighbour).toHaveBeenCalledTimes(2);
});

it("a handler that yields a number, as push() does, is no failure", () => {
  const { bus, failures } = busWithFailures();
  const seen: unknown[] = [];
  const handler: (event: BridleEvent) => void = (event) => seen.push(event);
  bus.onAny(handler);

  bus.emit(opened);

  expect(seen).toEqual([opened]);
  expect(failures).toEqual([]);
});

it("[B209] reports a failure once and without the event's payload", () => {
  const { bus, failures } = busWithFailures();
  bus.onAny(() => {
    throw new Error("broken");
  });

  bus.emit(opened);

  expect(JSON.stringify(failures)).not.toContain("secret-payload");
  expect(failures).toHaveLength(1);
});

it("[B209] an error handler that throws is contained, and later events still arrive", () => {
  const bus = createBus({
    onHandlerError: () => {
      throw new Error("the error handler itself");
    },
  });
  const seen = vi.fn<(event: BridleEvent) => void>();
  bus.on("alert", () => {
    throw new Error("broken");
  });
  bus.onAny(seen);

  bus.emit(alert("one"));
  bus.emit(alert("two"));

  expect(seen).toHaveBeenCalledTimes(2);
  expect(bus.failures).toBe(4);
});

it("[B209] an error handler that emits an alert whose handlers fail too does not loop", () => {
  const reported: string[] = [];
  const bus: Bus = createBus({
    onHandlerError: ({ type }) => {
      reported.push(type);
      bus.emit(alert("a handler failed"));
    },
  });
  bus.on("alert", () => bus.emit(gap(1)));
  bus.onAny(() => {
    throw new Error("always");
  });

  bus.emit(opened);

  expect(reported).toEqual(["breaker.half_open"]);
  expect(bus.failures).toBe(3);
});

it("[B209] a handler removed while an event is delivered is not called for it; those left are", () => {
  const { bus } = busWithFailures();
  const removed = vi.fn<() => void>();
  const kept = vi.fn<() => void>();
  bus.on("alert", () => stop());
  const stop = bus.on("alert", removed);
  bus.on("alert", kept);

  bus.emit(alert("x"));

  expect(removed).not.toHaveBeenCalled();
  expect(kept).toHaveBeenCalledTimes(1);
});

it("[E1] events emitted inside a handler come after every handler of the present one, in order", () => {
  const { bus } = busWithFailures();
  const seen: string[] = [];
  bus.on("alert", (event) => {
    seen.push(`first ${event.message}`);
    if (event.message === "cause") {
      bus.emit(alert("effect 1"));
      bus.emit(alert("effect 2"));
    }
  });
  bus.on("alert", (event) => void seen.push(`second ${event.message}`));

  bus.emit(alert("cause"));

  expect(seen).toEqual([
    "first cause",
    "second cause",
    "first effect 1",
    "second effect 1",
    "first effect 2",
    "second effect 2",
  ]);
});

it("[GC-2] a handler that asks the emitter finds the state the event tells of", () => {
  const { bus } = busWithFailures();
  let state = "CLOSED";
  const seen: string[] = [];
  bus.on("breaker.half_open", () => void seen.push(state));
  bus.onAny(() => void seen.push(state));

  state = "HALF_OPEN";
  bus.emit(opened);

  expect(seen).toEqual(["HALF_OPEN", "HALF_OPEN"]);
});

it("a long chain of events, each emitted by the handler of the last, does not overflow the stack", () => {
  const { bus, failures } = busWithFailures();
  bus.on("clock_gap", ({ gapMs }) => {
    if (gapMs > 0) bus.emit(gap(gapMs - 1));
  });
  const seen = vi.fn<() => void>();
  bus.onAny(seen);

  bus.emit(gap(20_000));

  expect(seen).toHaveBeenCalledTimes(20_001);
  expect(failures).toEqual([]);
});

it("counts the handlers that are subscribed, and an unsubscriber called twice counts once", () => {
  const { bus } = busWithFailures();
  const stopOne = bus.on("alert", () => undefined);
  const stopTwo = bus.on("alert", () => undefined);
  const stopAny = bus.onAny(() => undefined);
  expect([bus.handlerCount(), bus.handlerCount("alert"), bus.handlerCount("clock_gap")]).toEqual([
    3, 2, 0,
  ]);

  stopOne();
  stopOne();
  stopAny();
  expect([bus.handlerCount(), bus.handlerCount("alert")]).toEqual([1, 1]);
  stopTwo();
  expect(bus.handlerCount()).toBe(0);
});
