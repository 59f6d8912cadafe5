import { SimulatedClock } from "@bridle/kernel/testing";
import { createMemoryStore } from "@bridle/ports/testing";
import type { FleetEvent } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { OperatorOrders } from "../src/compose/operator-orders.ts";

const key = "agent:demo/planner";

function setUp() {
  const clock = new SimulatedClock();
  const { fleet } = createMemoryStore({ clock });
  const done: unknown[] = [];
  const errors: unknown[] = [];
  let isAway = false;
  const orders = new OperatorOrders({
    fleet: {
      read: async (page) => {
        if (isAway) throw new Error("away");
        return fleet.read(page);
      },
    },
    breakers: {
      force: (forced, forcing) => {
        if (forced === "nonsense") throw new Error("no key");
        done.push([forced, forcing.state, forcing.forMs]);
      },
      reset: (reset, by) => void done.push([reset, "reset", by.actor]),
    },
    clock,
    pollMs: 2000,
    onError: (error) => errors.push(error),
  });
  const force = async (more: Partial<Extract<FleetEvent, { type: "breaker.forced" }>> = {}) =>
    fleet.append([
      {
        type: "breaker.forced",
        at: clock.wallMs(),
        key,
        tier: "agent",
        state: "FORCED_OPEN",
        actor: "ann",
        reason: "looks bad",
        until: clock.wallMs() + 60_000,
        ...more,
      },
    ]);
  const reset = async () => {
    const by = { actor: "ann", reason: "fine again" };
    await fleet.append([{ type: "breaker.reset", at: clock.wallMs(), key, tier: "agent", ...by }]);
  };
  const away = (is: boolean): void => void (isAway = is);
  return { clock, fleet, orders, done, errors, force, reset, away };
}

describe("[BR-12] [B9] operators' orders", () => {
  it("reach a worker within a look, each once, with what is left of their time", async () => {
    const { clock, orders, done, force, reset } = setUp();
    await orders.start();
    await force();
    await clock.advanceAsync(2000);
    await reset();
    await clock.advanceAsync(10_000);
    expect(done).toEqual([
      [key, "FORCED_OPEN", 58_000],
      [key, "reset", "ann"],
    ]);
    await orders.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it("reach a worker that starts later: the newest of each breaker, unless its time is over", async () => {
    const { clock, orders, done, force } = setUp();
    await force();
    await force({ state: "DISABLED", until: clock.wallMs() + 5000 });
    await force({ key: "tool:search", until: clock.wallMs() + 10 });
    await clock.advanceAsync(1000);
    await orders.start();
    expect(done).toEqual([[key, "DISABLED", 4000]]);
    await orders.close();
  });

  it("are found behind hundreds of other events, and after the store was away", async () => {
    const { clock, fleet, orders, done, force, away } = setUp();
    await orders.start();
    away(true);
    await force();
    await fleet.append(
      Array.from({ length: 900 }, () => ({ type: "clock_gap" as const, at: 0, gapMs: 1 })),
    );
    await force({ state: "METRICS_ONLY" });
    await clock.advanceAsync(4000);
    expect(done).toEqual([]);
    away(false);
    await clock.advanceAsync(2000);
    expect(done.map((order) => (order as string[])[1])).toEqual(["FORCED_OPEN", "METRICS_ONLY"]);
    await orders.close();
  });

  it("that cannot be carried out are told and keep no other from being", async () => {
    const { clock, orders, done, errors, force } = setUp();
    await orders.start();
    await force({ key: "nonsense" });
    await force();
    await clock.advanceAsync(2000);
    expect([errors.length, done.length]).toEqual([1, 1]);
    await orders.close();
  });
});
