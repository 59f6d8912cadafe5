import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ask, startWorld } from "./support.ts";
import type { World } from "./support.ts";

let world: World;
beforeEach(() => void (world = startWorld({ keys: { reader: ["read"], ops: ["operate"] } })));
afterEach(async () => world.api.close());

const key = encodeURIComponent("agent:deep-research/planner");
const order = async (action: string, body: object, more: { key?: string; path?: string } = {}) =>
  ask(world, {
    url: `/api/v1/breakers/${more.path ?? key}/${action}`,
    body,
    ...(more.key === undefined ? {} : { key: more.key }),
  });
const listed = async () => (await ask(world, { url: "/api/v1/breakers" })).body.breakers;

describe("[BR-12] [B9] a hand on a breaker", () => {
  it.each([
    ["open", "FORCED_OPEN"],
    ["close", "FORCED_CLOSED"],
    ["disable", "DISABLED"],
    ["observe", "METRICS_ONLY"],
  ])(
    "%s holds it as %s, with actor, reason and end, in the log that every worker reads",
    async (action, state) => {
      const answer = await order(
        action,
        { reason: "provider is down", for: "10m" },
        { key: "ops" },
      );
      const until = world.clock.wallMs() + 600_000;
      const forced = { state, actor: "ops", reason: "provider is down", until };
      expect([answer.status, answer.body]).toEqual([
        202,
        { key: "agent:deep-research/planner", forced },
      ]);
      const log = await world.store.fleet.read({ afterId: 0, limit: 10 });
      expect(log.map(({ event }) => event)).toMatchObject([
        { type: "breaker.forced", key: "agent:deep-research/planner", tier: "agent", ...forced },
      ]);
      expect(await listed()).toMatchObject([{ key: "agent:deep-research/planner", forced }]);
      await world.clock.advanceAsync(600_000);
      expect((await listed())[0]).not.toHaveProperty("forced");
    },
  );

  it("lasts an hour when nobody says how long, and ends with a reset", async () => {
    const { body } = await order("open", { reason: "x" });
    expect(body.forced.until - world.clock.wallMs()).toBe(3_600_000);
    expect((await order("reset", { reason: "fine again" })).body).toEqual({
      key: "agent:deep-research/planner",
    });
    expect(await listed()).toMatchObject([{ state: "CLOSED" }]);
    expect((await listed())[0]).not.toHaveProperty("forced");
  });

  it.each([
    ["no reason", "open", {}, 400, /reason/],
    [
      "a duration without a unit",
      "open",
      { reason: "x", for: "600" },
      400,
      /"600" is not a duration/,
    ],
    ["no time at all", "open", { reason: "x", for: "0s" }, 400, /1ms to 7d/],
    ["more than a week", "open", { reason: "x", for: "8d" }, 400, /1ms to 7d/],
    [
      "a word that is no order",
      "explode",
      { reason: "x" },
      404,
      /open, close, disable, observe, reset/,
    ],
  ])("is refused for %s", async (...[, action, body, status, message]) => {
    const answer = await order(action, body);
    expect(answer.status).toBe(status);
    expect(answer.body.detail).toMatch(message);
    expect(await world.store.fleet.read({ afterId: 0, limit: 10 })).toEqual([]);
  });

  it.each(["planner", "agent:", "robot:x", "%00"])("is refused for the key %s", async (path) => {
    expect((await order("open", { reason: "x" }, { path })).status).toBe(400);
  });

  it("is for operators", async () => {
    expect((await order("open", { reason: "x" }, { key: "reader" })).status).toBe(403);
  });
});
