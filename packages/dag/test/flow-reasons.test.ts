import type { Amounts, TaskOutcome } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { failure, started, workflow } from "./support/world.ts";
import type { World } from "./support/world.ts";

const room: Amounts = { tokens: 1000, nanoUsd: 1000, calls: 10 };
const quick = { id: "quick", agent: "worker", budget: { maxTokens: 600, maxCalls: 4 } };
const ladder = {
  budget: { onExceeded: "degrade" },
  degrade: [{ replace: ["a", "b"], with: quick }],
};
const refused = failure("budget_refused");

function world(fields: Readonly<Record<string, unknown>> = ladder): World {
  return started(workflow({ first: [], a: [], b: ["first"] }, fields)).claim("a");
}

function withEvidence(outcome: TaskOutcome, evidence: Readonly<Record<string, unknown>>) {
  if (outcome.status === "completed") throw new Error("It has no evidence.");
  return { ...outcome, stop: { ...outcome.stop, evidence: { ...evidence } } };
}

/** What each rung says in the evidence of the pause. */
function rungs(played: World): unknown {
  return played.run.paused?.stop?.evidence["rungs"];
}

describe("[D4] [BU-19] why no simpler flow stepped in", () => {
  it.each<[string, Readonly<Record<string, unknown>>, Amounts | undefined]>([
    ["it needs 600 tokens, and 599 are left", ladder, { ...room, tokens: 599 }],
    ["it needs 4 calls, and 3 are left", ladder, { ...room, calls: 3 }],
    ["the run's envelope pays for nothing more", ladder, undefined],
    [
      "budget.onTrip is cache",
      { ...ladder, budget: { onExceeded: "degrade", onTrip: "cache" } },
      room,
    ],
  ])("%s", (reason, fields, left) => {
    const played = world(fields);
    played.finish("a", refused, 1, left);
    expect(rungs(played)).toEqual([{ rung: "flow", outcome: "refused", reason }]);
  });

  it("stands after the reasons of the step's own rungs", () => {
    const played = world();
    const before = { rung: "model", outcome: "refused", reason: "there is no smaller one" };
    played.finish("a", withEvidence(refused, { rungs: [before] }), 1, undefined);
    expect(rungs(played)).toEqual([before, expect.objectContaining({ rung: "flow" })]);
  });

  it("a failure of another kind asks for none, whatever its code", () => {
    const played = world();
    const outcome = failure("agent_error", { code: "budget_exhausted_degraded" });
    played.finish("a", outcome, 1, room);
    expect([played.count("run.degraded"), played.status("a")]).toEqual([0, "PENDING"]);
  });
});

describe("[BU-19] a simpler flow that steps in", () => {
  it("says for what, in at most 500 characters, and the replaced ones say by whom", () => {
    const played = world();
    const events = played.finish(
      "a",
      { ...refused, message: "m".repeat(501) } as TaskOutcome,
      1,
      room,
    );
    expect(events[0]).toMatchObject({ type: "run.degraded", reason: "m".repeat(500), attempt: 1 });
    expect(events.slice(1)).toMatchObject([
      { type: "task.cancelled", taskId: "a", attempt: 1, reason: "replaced by quick" },
      { type: "task.cancelled", taskId: "b", attempt: 0, reason: "replaced by quick" },
    ]);
  });

  it("is asked for only once what it waits for has ended, and not in a pause", () => {
    const asked = (played: World): boolean =>
      played.commands.some((each) => each.type === "evaluate-task" && each.taskId === "quick");
    const waiting = world();
    waiting.finish("a", refused, 1, room);
    expect([waiting.status("quick"), asked(waiting)]).toEqual(["PENDING", false]);
    waiting.finish("first");
    expect([waiting.status("quick"), asked(waiting)]).toEqual(["QUEUED", true]);

    const paused = world();
    paused.finish("first");
    paused.tell({ type: "pause", reason: "r", by: "u" });
    paused.finish("a", refused, 1, room);
    expect([paused.status("quick"), asked(paused)]).toEqual(["PENDING", false]);
  });
});

describe("what whoever reads of a budget pause is told to do", () => {
  const paused = { budget: { onExceeded: "pause" } };

  it("adds to the run's envelope where that one is short", () => {
    const played = world(paused);
    played.finish("a", withEvidence(refused, { envelope: "run" }));
    expect(played.run.paused?.stop?.hint).toBe(
      "The envelope cannot pay for the next step. Add to it with `bridle budget raise run_test1`, then `bridle runs resume run_test1`; or `bridle runs cancel run_test1`.",
    );
  });

  it("waits for the next day, or raises it, where the day is short", () => {
    const played = world(paused);
    played.finish("a", withEvidence(refused, { envelope: "installation/day" }));
    expect(played.run.paused?.stop?.hint).toBe(
      "The day cannot pay for the next step. It starts afresh at 00:00 UTC; until then wait for runs to end, or raise `budget.perDay` of the configuration. Then `bridle runs resume run_test1`; or `bridle runs cancel run_test1`.",
    );
  });

  it("is told nothing where something else failed: that is tried again", () => {
    const played = world(paused);
    played.finish("a", failure());
    expect([played.run.paused, played.status("a")]).toEqual([undefined, "PENDING"]);
  });
});
