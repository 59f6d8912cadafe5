import { SimulatedClock } from "@bridle/kernel/testing";
import type { FleetLog } from "@bridle/ports";
import { asRunId } from "@bridle/protocol";
import type { BridleEvent, FleetEvent } from "@bridle/protocol";
import { expect, it } from "vitest";

import { bridgeToFleetLog, createBus } from "../src/index.ts";

interface Gate {
  open: () => void;
  promise: Promise<void>;
}

const ignore = (): void => undefined;

/** A log that writes when told to and can be switched off. */
class SteeredLog implements FleetLog {
  readonly batches: (readonly FleetEvent[])[] = [];
  isAway = false;
  hold: Promise<void> | undefined;

  async append(events: readonly FleetEvent[]): Promise<void> {
    await this.hold;
    if (this.isAway) throw new Error("the store is away");
    this.batches.push(events);
  }

  async read(): Promise<readonly { readonly id: number; readonly event: FleetEvent }[]> {
    return [];
  }

  get gaps(): number[] {
    return this.batches.flat().map((event) => (event.type === "clock_gap" ? event.gapMs : -1));
  }
}

/** A store that answers only once it is told to. */
function gate(): Gate {
  const opened: Gate = { open: ignore, promise: Promise.resolve() };
  opened.promise = new Promise<void>((resolve) => {
    opened.open = resolve;
  });
  return opened;
}

function bridged(options: { capacity?: number; batchSize?: number } = {}) {
  const clock = new SimulatedClock();
  const bus = createBus({ onHandlerError: () => undefined });
  const fleet = new SteeredLog();
  return { clock, bus, fleet, bridge: bridgeToFleetLog({ bus, fleet, clock, ...options }) };
}

const gap = (gapMs: number): BridleEvent => ({ type: "clock_gap", at: 0, gapMs });

it("[E1] writes fleet events in order and leaves events of runs alone", async () => {
  const { bus, fleet, bridge } = bridged();

  bus.emit(gap(1));
  bus.emit({ type: "run.started", at: 0, runId: asRunId("run_1") });
  bus.emit(gap(2));
  await bridge.close();

  expect(fleet.batches).toEqual([[gap(1), gap(2)]]);
});

it("[E1] events that come while an append is under way wait for it and go together", async () => {
  const { clock, bus, fleet } = bridged();
  const store = gate();
  fleet.hold = store.promise;

  bus.emit(gap(1));
  await clock.advanceAsync(0);
  bus.emit(gap(2));
  bus.emit(gap(3));
  store.open();
  await clock.advanceAsync(0);

  expect(fleet.batches).toEqual([[gap(1)], [gap(2), gap(3)]]);
});

it("no append is longer than the batch size", async () => {
  const { bus, fleet, bridge } = bridged({ batchSize: 2 });

  for (const index of [1, 2, 3, 4, 5]) bus.emit(gap(index));
  await bridge.close();

  expect(fleet.batches.map((batch) => batch.length)).toEqual([2, 2, 1]);
});

it("[GC-3] a store that hangs never blocks the emitter; what no longer fits is dropped oldest first and counted", async () => {
  const { clock, bus, fleet, bridge } = bridged({ capacity: 3, batchSize: 1 });
  const store = gate();
  fleet.hold = store.promise;
  bus.emit(gap(1));
  await clock.advanceAsync(0);

  for (const index of [2, 3, 4, 5]) bus.emit(gap(index));

  expect([bridge.waiting, bridge.dropped]).toEqual([3, 2]);
  store.open();
  await bridge.close();
  expect(fleet.gaps).toEqual([1, 4, 5]);
});

it("what is being written while the queue overflows keeps its place: when it fails it is tried again first", async () => {
  const { clock, bus, fleet, bridge } = bridged({ capacity: 3, batchSize: 1 });
  const store = gate();
  fleet.hold = store.promise;
  fleet.isAway = true;
  bus.emit(gap(1));
  await clock.advanceAsync(0);
  for (const index of [2, 3, 4]) bus.emit(gap(index));
  store.open();
  await clock.advanceAsync(0);

  fleet.isAway = false;
  await clock.advanceAsync(2000);

  expect(fleet.gaps).toEqual([1, 3, 4]);
  expect(bridge.dropped).toBe(1);
});

it("a store that was away gets everything, in order, once it answers again", async () => {
  const { clock, bus, fleet, bridge } = bridged();
  fleet.isAway = true;
  bus.emit(gap(1));
  await clock.advanceAsync(0);
  bus.emit(gap(2));
  await clock.advanceAsync(1999);
  fleet.isAway = false;
  expect(fleet.batches).toEqual([]);

  await clock.advanceAsync(1);

  expect(fleet.gaps).toEqual([1, 2]);
  expect(bridge.dropped).toBe(0);
});

it("closing leaves no handler and no timer behind, and counts what could not be written", async () => {
  const { clock, bus, fleet, bridge } = bridged();
  fleet.isAway = true;
  bus.emit(gap(1));
  await clock.advanceAsync(0);
  expect(clock.pendingTimers).toBe(1);

  await bridge.close();
  bus.emit(gap(2));

  expect([bus.handlerCount(), clock.pendingTimers, bridge.waiting, bridge.dropped]).toEqual([
    0, 0, 0, 1,
  ]);
});
