import { planner, reviewer, searcher, writer } from "@bridle/fake-agents/agents";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { openWorld } from "../support/bridle-world.ts";
import type { BridleWorld } from "../support/bridle-world.ts";
import { postgresBin, usePostgres } from "../support/postgres-for-tests.ts";
import { echo, endless, flaky, forgotten, unlucky } from "./cast.ts";
import { faultyDelivery } from "./faulty-delivery.ts";
import { scenarios } from "./scenarios.ts";

/*
 * Results, claims and fences go through the store. Hints only make it fast: everything holds with none delivered.
 */

const agents = [planner, searcher, reviewer, writer, echo, flaky, endless, unlucky, forgotten];

/** The shipped times divided by about six, in the same order. */
const liveness = {
  pollMs: 300,
  reconcileMs: 1500,
  workerLeaseMs: 1500,
  workerRenewMs: 400,
  selfFenceMs: 1200,
};

const variants = [
  { store: "the embedded store", wakeUps: true, words: "with" },
  { store: "the embedded store", wakeUps: false, words: "without" },
  { store: "a Postgres server", wakeUps: true, words: "with" },
  { store: "a Postgres server", wakeUps: false, words: "without" },
];
const possible = variants.filter(
  ({ store }) => store === "the embedded store" || postgresBin !== undefined,
);

describe.each(possible.map((variant) => [`${variant.store}, ${variant.words}`, variant] as const))(
  "on %s wake-ups",
  (_, { store, wakeUps }) => {
    const postgres = store === "a Postgres server" ? usePostgres() : undefined;
    const delivery = faultyDelivery(wakeUps);
    let world: BridleWorld;
    /** Every connection to either database in this process is one of `pg`: what it does not hear, nobody hears. */
    let notifications: () => number;

    beforeAll(async () => {
      const emit = vi.spyOn(Client.prototype, "emit");
      notifications = () => emit.mock.calls.filter(([name]) => name === "notification").length;
      const storeUrl = await postgres?.server.createDatabase();
      world = await openWorld({
        agents,
        models: ["smart", "small"],
        hooks: delivery.hooks,
        config: { liveness },
        // On a server the worker stands apart, as in a process of its own: only the store connects the two.
        ...(storeUrl === undefined ? {} : { storeUrl, isSplit: true }),
      });
    });
    afterAll(async () => {
      await world.close();
      vi.restoreAllMocks();
    });

    test.concurrent.each(scenarios.map((scenario) => [scenario.title, scenario] as const))(
      "%s",
      async (_title, { play, facts }) => {
        expect(await play(world)).toEqual(facts);
      },
    );

    // Skipped: it is the control of the rounds without wake-ups.
    test.runIf(wakeUps)("the store's hints and the queue's notifications were heard", () => {
      expect(delivery.hints()).toBeGreaterThan(0);
      expect(notifications()).toBeGreaterThan(0);
    });

    // Skipped: in rounds with wake-ups there is nothing to prove.
    test.skipIf(wakeUps)("not one hint and not one notification was heard by anybody", () => {
      expect({ hints: delivery.hints(), notifications: notifications() }).toEqual({
        hints: 0,
        notifications: 0,
      });
    });
  },
);
