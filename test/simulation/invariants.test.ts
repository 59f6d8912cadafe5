import { noAmounts } from "@bridle/protocol";
import type { Amounts } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { attemptsAreFenced } from "./invariants/attempts-are-fenced.ts";
import { callsAreLetOut } from "./invariants/calls-are-let-out.ts";
import {
  dispatched,
  judge,
  log,
  runId,
  sent,
  submitted,
  who,
} from "./invariants/doctored-history.ts";
import type { Edge } from "./invariants/doctored-history.ts";
import { effectsHappenOnce } from "./invariants/effects-happen-once.ts";
import { failingStepsCostTheirProduct } from "./invariants/failing-steps-cost-their-product.ts";
import { holdsEndOnce } from "./invariants/holds-end-once.ts";
import { ledgerAddsUp } from "./invariants/ledger-adds-up.ts";
import { logsEndOnce } from "./invariants/logs-end-once.ts";
import { noRunIsPoisoned } from "./invariants/no-run-is-poisoned.ts";
import { nothingIsLeft } from "./invariants/nothing-is-left.ts";
import { nothingIsStuck } from "./invariants/nothing-is-stuck.ts";
import type { Observation } from "./invariants/observation.ts";
import { tasksStartWhenAllowed } from "./invariants/tasks-start-when-allowed.ts";

const ten = { tokens: 10, nanoUsd: 10, calls: 1 };

describe("ledgerAddsUp", () => {
  const envelope = {
    envelope: "run",
    limit: ten,
    settled: noAmounts,
    reserved: ten,
    closed: false,
  };
  const holds = [{ taskId: "a", amounts: ten } as never];
  const ledger = (changes: object, kept = holds): Observation => ({
    type: "ledger",
    runId,
    envelopes: [{ ...envelope, ...changes }],
    holds: kept,
  });

  const admitted = (asked: Amounts): Observation => ({
    type: "admitted",
    runId,
    asked,
    path: [{ ...envelope, settled: { ...noAmounts, tokens: 1 } }],
  });

  it("is content with a ledger whose reserved is its holds", () => {
    expect(judge(ledgerAddsUp(), [ledger({})])).toBeUndefined();
  });

  it("is content with a call that asks for none of what others have overdrawn", () => {
    expect(judge(ledgerAddsUp(), [admitted({ ...noAmounts, calls: 1 })])).toBeUndefined();
  });

  it.each([
    ["a hold nobody reserved for", ledger({ reserved: noAmounts }), "open holds are"],
    ["a reservation without a hold", ledger({}, []), "open holds are"],
    ["a negative amount", ledger({ settled: { ...ten, tokens: -1 } }), "settled -1"],
    ["an admission beyond the limit", admitted({ ...noAmounts, tokens: 1 }), "beyond its limit"],
  ])("sees %s", (_, seen, sentence) => {
    expect(judge(ledgerAddsUp(), [seen])).toContain(sentence);
  });
});

describe("ledgerAddsUp, above the runs", () => {
  const day = (changes: object): Observation => ({
    type: "day",
    scope: "installation/day",
    limit: ten,
    given: ten,
    blocks: ten,
    overruns: noAmounts,
    ...changes,
  });
  const eleven = { ...ten, tokens: 11 };
  const beyond = { given: eleven, blocks: eleven };

  it("[BU-5] is content with a day that has given what runs hold of it, and with what they overspent", () => {
    const overspent = { ...beyond, overruns: { ...noAmounts, tokens: 1 } };
    expect(judge(ledgerAddsUp(), [day({}), day(overspent)])).toBeUndefined();
  });

  it.each([
    ["a block that came back twice", day({ given: noAmounts }), "runs hold 10"],
    ["a block that nobody counted", day({ blocks: eleven }), "runs hold 11"],
    ["more than there is, without an overrun", day(beyond), "overruns were 0"],
  ])("[BU-5] sees %s", (_, seen, sentence) => {
    expect(judge(ledgerAddsUp(), [seen])).toContain(sentence);
  });
});

describe("holdsEndOnce", () => {
  const hold = { holdId: "h1" };

  it("is content with a hold that was reserved and settled", () => {
    const history = log(["budget.reserved", hold], ["budget.settled", hold]);
    expect(judge(holdsEndOnce(), history)).toBeUndefined();
  });

  it("sees a hold that is settled and then released", () => {
    const history = log(
      ["budget.reserved", hold],
      ["budget.settled", hold],
      ["budget.released", hold],
    );
    expect(judge(holdsEndOnce(), history)).toContain("ended twice");
  });

  it("sees a charge without a reservation", () => {
    expect(judge(holdsEndOnce(), log(["budget.settled", hold]))).toContain("never reserved");
  });
});

describe("callsAreLetOut", () => {
  it("is content with a call that was let out", () => {
    expect(judge(callsAreLetOut(), [submitted(), dispatched(), sent])).toBeUndefined();
  });

  it.each([
    ["a call without a dispatched hold", [sent], "without a dispatched hold"],
    ["two calls on one hold", [dispatched(), sent, sent], "without a dispatched hold"],
    ["a call of another step's hold", [dispatched({ step: 2 }), sent], "without a dispatched hold"],
    ["a call below the fence", [dispatched({ fence: 2 })], "below the fence"],
    ["a call of an ended run", [dispatched({ isClosed: true })], "closed envelope"],
    [
      "a call past the provider's open breaker",
      [submitted(), dispatched({ open: ["provider:north/large"] }), sent],
      "was open",
    ],
    [
      "a call past the agent's open breaker",
      [submitted(), dispatched({ open: ["agent:w/alpha"] }), sent],
      "was open",
    ],
  ])("sees %s", (_, history, sentence) => {
    expect(judge(callsAreLetOut(), history)).toContain(sentence);
  });
});

describe("logsEndOnce", () => {
  it("is content with a log that ends once", () => {
    const history = log(["run.started"], ["task.completed", { taskId: "a" }], ["run.finished"]);
    expect(judge(logsEndOnce(), history)).toBeUndefined();
  });

  it.each([
    ["an entry after the end", log(["run.finished"], ["step.started"]), "after its end"],
    ["a second end", log(["run.finished"], ["run.finished"]), "after its end"],
    [
      "a task that ends twice",
      log(["task.completed", { taskId: "a" }], ["task.failed", { taskId: "a" }]),
      "a second time",
    ],
    [
      "a task that starts after its end",
      log(["task.failed", { taskId: "a" }], ["task.scheduled", { taskId: "a" }]),
      "after its end",
    ],
    ["a gap", log(["run.started"], ["step.started"]).slice(1), "goes from 0 to 2"],
  ])("sees %s", (_, history, sentence) => {
    expect(judge(logsEndOnce(), history)).toContain(sentence);
  });
});

describe("attemptsAreFenced", () => {
  const fenced = (fence: number): Observation => ({ type: "fenced", runId, taskId: "a", fence });
  const claimed = (fence = 1): Observation => ({ type: "claimed", ...who, fence });
  const finished = (outputOf = 1): Observation => ({
    type: "finished",
    ...who,
    outputOf,
    retryAfterMs: undefined,
  });

  it("is content with an attempt that is fenced, claimed and finished", () => {
    expect(judge(attemptsAreFenced(), [fenced(1), claimed(), finished()])).toBeUndefined();
  });

  it.each([
    ["a fence that falls", [fenced(2), fenced(1)], "fell from 2 to 1"],
    ["a claim below the fence", [claimed(2)], "at fence 2"],
    ["two claims of one attempt", [claimed(), claimed()], "claimed twice"],
    ["two results of one attempt", [claimed(), finished(), finished()], "finished twice"],
    ["a result of nobody", [finished()], "without a claim"],
    ["the output of another attempt", [claimed(), finished(2)], "output of attempt 2"],
  ])("sees %s", (_, history, sentence) => {
    expect(judge(attemptsAreFenced(), history)).toContain(sentence);
  });
});

describe("tasksStartWhenAllowed", () => {
  const b = { taskId: "b" };
  const needs = (when: Edge["when"]): Observation => submitted([{ task: "a", when }]);
  const fanOut = submitted([], { forEach: { concurrency: 1 } });

  it.each([
    ["completed", ["task.completed", { taskId: "a" }]],
    ["failed", ["task.failed", { taskId: "a" }]],
    ["always", ["task.cancelled", { taskId: "a" }]],
  ] as const)("is content with a task that waits for `%s`", (when, end) => {
    const history = [needs(when), ...log(end, ["task.scheduled", b])];
    expect(judge(tasksStartWhenAllowed(), history)).toBeUndefined();
  });

  it.each([
    ["before its dependency", needs("completed"), log(["task.scheduled", b]), "before a had ended"],
    [
      "after a failure it needs to succeed",
      needs("completed"),
      log(["task.failed", { taskId: "a" }], ["task.scheduled", b]),
      "although its join says SKIPPED_DEPENDENCY",
    ],
    [
      "on a branch that was not taken",
      needs("failed"),
      log(["task.completed", { taskId: "a" }], ["task.scheduled", b]),
      "its join says SKIPPED_CONDITION",
    ],
    [
      "after a cancel",
      needs("failed"),
      log(["task.cancelled", { taskId: "a" }], ["task.scheduled", b]),
      "although its join says CANCELLED",
    ],
    [
      "while its run is paused",
      submitted(),
      log(["run.paused"], ["task.scheduled", b]),
      "while paused",
    ],
    [
      "while its run winds down",
      submitted(),
      log(["run.cancelling"], ["task.scheduled", b]),
      "winding down",
    ],
    [
      "while it is to stop",
      submitted(),
      log(["task.cancelling", b], ["task.scheduled", b]),
      "to stop",
    ],
    ["before its list", fanOut, log(["task.scheduled", { taskId: "b[0]" }]), "before its list"],
    [
      "beyond its list",
      fanOut,
      log(["task.expanded", { ...b, items: 1 }], ["task.scheduled", { taskId: "b[1]" }]),
      "beyond its list",
    ],
    [
      "beside too many others",
      fanOut,
      log(
        ["task.expanded", { ...b, items: 2 }],
        ["task.scheduled", { taskId: "b[0]" }],
        ["task.scheduled", { taskId: "b[1]" }],
      ),
      "beside 1 others",
    ],
  ])("sees a task that starts %s", (_, workflow, history, sentence) => {
    expect(judge(tasksStartWhenAllowed(), [workflow, ...history])).toContain(sentence);
  });

  it("is content with a task that goes on after its run was resumed", () => {
    const history = [submitted(), ...log(["run.paused"], ["run.resumed"], ["task.scheduled", b])];
    expect(judge(tasksStartWhenAllowed(), history)).toBeUndefined();
  });
});

describe("failingStepsCostTheirProduct", () => {
  const tried = (attempt: number) => log(["task.scheduled", { taskId: "a", attempt }]);

  it("counts at the provider: as many calls as stated are fine, one more is not", () => {
    const stated = failingStepsCostTheirProduct({ wireCalls: 2 });
    expect(judge(stated, [submitted(), sent, sent])).toBeUndefined();
    expect(judge(stated, [sent])).toContain("the bound is 2");
  });

  it("counts attempts: those of the policy and those that spend none, and one more for a parking", () => {
    const parked = log(["task.parked", { taskId: "a" }]);
    const judged = (history: readonly Observation[]) =>
      judge(failingStepsCostTheirProduct({ wireCalls: 2 }), [submitted(), ...history]);
    expect(judged(tried(14))).toBeUndefined();
    expect(judged(tried(15))).toContain("its policy allows 14");
    expect(judged([...parked, ...tried(15)])).toBeUndefined();
  });
});

describe("effectsHappenOnce", () => {
  it("sees an effect that happens in two attempts", () => {
    const effect: Observation = { type: "effect", runId, taskId: "a", name: "pay" };
    const other: Observation = { ...effect, name: "mail" };
    expect(judge(effectsHappenOnce(), [effect, other])).toBeUndefined();
    expect(judge(effectsHappenOnce(), [effect, other, effect])).toContain("happened twice");
  });
});

describe("noRunIsPoisoned", () => {
  it("sees a run that its scheduler gave up", () => {
    const stopped = (reason: string) => log(["run.finished", { stop: { reason, evidence: {} } }]);
    expect(judge(noRunIsPoisoned(), stopped("cancelled"))).toBeUndefined();
    expect(judge(noRunIsPoisoned(), stopped("internal"))).toContain("was given up");
  });
});

describe("nothingIsStuck", () => {
  it("sees what a look says has not moved", () => {
    expect(judge(nothingIsStuck(), [{ type: "look", stuck: [] }])).toBeUndefined();
    expect(judge(nothingIsStuck(), [{ type: "look", stuck: ["an attempt"] }])).toContain("Stuck");
  });
});

describe("nothingIsLeft", () => {
  const clean = {
    unfinished: [],
    reserved: [],
    blocks: [],
    openHolds: 0,
    inbox: 0,
    dueTimers: 0,
    leases: [],
    clockTimers: [],
    permits: [],
  };

  it("is content with an empty world", () => {
    expect(judge(nothingIsLeft(), [{ type: "end", ...clean }])).toBeUndefined();
  });

  it.each([
    ["a run", { unfinished: ["run_1"] }],
    ["money", { reserved: [{ runId, amounts: ten }] }],
    ["a day's block of an ended run", { blocks: ["installation/day"] }],
    ["a hold", { openHolds: 1 }],
    ["an inbox entry", { inbox: 1 }],
    ["a timer of an ended run", { dueTimers: 1 }],
    ["a lease", { leases: ["worker:1"] }],
    ["a timer of a process", { clockTimers: ["worker-1 has 1"] }],
    ["a permit", { permits: ["worker-1 holds 1"] }],
  ])("sees %s that is left", (_, left) => {
    expect(judge(nothingIsLeft(), [{ type: "end", ...clean, ...left }])).toContain("Left");
  });
});
