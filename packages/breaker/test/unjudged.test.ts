import { expect, it } from "vitest";

import { routeOutcome } from "../src/index.ts";
import type { CallOutcome } from "../src/index.ts";
import { bench, opened, repeat, tool } from "./support.ts";

const person = { actor: "kim", reason: "drill" };
const nobody = { tool: "ignored", agent: "ignored", provider: "ignored" };

it.each<CallOutcome>([
  { kind: "not_sent" },
  { kind: "task", outcome: "cancelled" },
  { kind: "tool", outcome: "client_error" },
  { kind: "tool", outcome: "caller_fault" },
  { kind: "tool", outcome: "cancelled" },
  { kind: "model", outcome: "rate_limit" },
  { kind: "model", outcome: "auth" },
  { kind: "model", outcome: "billing" },
  { kind: "model", outcome: "model_not_found" },
  { kind: "model", outcome: "refusal" },
  { kind: "model", outcome: "aborted" },
])("[BR-14] what is nobody's failure names none: %j", (outcome) => {
  expect(routeOutcome(outcome)).toStrictEqual(nobody);
});

it("[GC-4] [BR-6] a call that warn mode lets past an open breaker is neither evidence nor late", () => {
  const world = opened({ mode: "warn" });

  world.call("failure");

  expect(world.view()).toMatchObject({
    state: "OPEN",
    openCount: 1,
    counts: { late: 0, wouldRefuse: 1 },
  });
  world.set.close();
});

it("[BR-12] a reset under METRICS_ONLY closes nothing that was ever shut", () => {
  const world = bench();
  world.set.force(tool, { state: "METRICS_ONLY", ...person });
  repeat(5, () => world.call("failure"));

  world.set.reset(tool, person);

  expect(world.types()).toEqual(["would_trip"]);
});

it("[BR-2] ten slow outcomes may span exactly the longest story", () => {
  const { call, clock, view, set } = bench({ settings: { slowSpan: 180_000 } });
  repeat(10, (index) => {
    if (index > 0) clock.advance(20_000);
    call(index % 2 === 0 ? "success" : "failure");
  });

  expect(view().state).toBe("OPEN");
  set.close();
});

it("a set that was closed arms no timer for what happens after", () => {
  const world = bench();
  world.set.close();

  repeat(5, () => world.call("failure"));

  expect(world.view().state).toBe("OPEN");
  expect(world.clock.pendingTimers).toBe(0);
});
