import { isAgentDefinition } from "@bridle/agent";
import { describe, expect, it } from "vitest";

import * as cast from "../src/agents/index.ts";
import {
  allScenarios,
  builtInLimits,
  checksOf,
  grownCounts,
  impliedLimits,
  missedBounds,
} from "../src/chaos/index.ts";
import type { Evidence, Scenario } from "../src/chaos/index.ts";
import { turnsOf } from "../src/chaos/turns-of.ts";
import { amounts, goodEvidence, withEntry, withEnvelope, withTask } from "./chaos-evidence.ts";

const limits = impliedLimits(builtInLimits);

const scenario: Scenario = {
  name: "spins",
  question: "Who ends it?",
  agent: cast.spins,
  input: () => ({}),
  calls: () => 1,
  guard: "watchdog",
  ends: [{ status: "TIMED_OUT", reason: "task_timeout", guard: "watchdog" }],
  withinMs: () => 5000,
};

const namesOf = (evidence: Evidence, of: Scenario = scenario): readonly string[] =>
  missedBounds(of, evidence, limits).map((sentence) => sentence.slice(0, sentence.indexOf(":")));

describe("[F6] what a scenario is asked at its end", () => {
  it("has nothing to say when a villain was stopped as it should be", () => {
    expect(missedBounds(scenario, goodEvidence, limits)).toEqual([]);
  });

  const unsettled = { settled: amounts(119) };
  const spoilt: readonly (readonly [string, string, Evidence])[] = [
    ["nobody stopped it", "stopped by the watchdog", { ...goodEvidence, wasUnplugged: true }],
    ["another state", "right stop reason", withTask("villain", { status: "FAILED" })],
    [
      "another guard",
      "right stop reason",
      withTask("villain", { stop: { reason: "task_timeout", guard: "scheduler" } }),
    ],
    ["a start too long ago", "time to stop", withEntry("task.started", -4000)],
    ["no start", "time to stop", withEntry("task.started", undefined)],
    [
      "a verdict too long before its end",
      "time from the verdict to the reclaim",
      withEntry("task.timed_out", -2500),
    ],
    ["no terminal event", "exactly one terminal event", withEntry("run.finished", undefined)],
    [
      "a second terminal event",
      "exactly one terminal event",
      {
        ...goodEvidence,
        log: [...goodEvidence.log, { type: "task.completed", at: 1620, taskId: "villain" }],
      },
    ],
    [
      "a call after the end",
      "no call after the end",
      { ...goodEvidence, countedAtEnd: { ...goodEvidence.countedAtEnd, requests: 0 } },
    ],
    ["a request still open", "no call after the end", { ...goodEvidence, openLater: 1 }],
    ["money still held", "books", withEnvelope({ reserved: amounts(1) })],
    ["a bill that is not booked", "books", withEnvelope(unsettled)],
    ["an overdraft nobody explains", "books", withEnvelope({ limit: amounts(119) })],
    ["no envelope", "books", { ...goodEvidence, envelopes: [] }],
    ["a process after the kill", "no live process", { ...goodEvidence, aliveAtEnd: [4711] }],
    ["a process after the stop", "no live process", { ...goodEvidence, aliveLater: [4711] }],
    ["a neighbour that failed", "neighbour unharmed", withTask("neighbour", { status: "FAILED" })],
    [
      "a neighbour with another result",
      "neighbour unharmed",
      withEntry("step.finished", undefined),
    ],
  ];

  it.each(spoilt)("[F4] [F6] finds %s, by the name of the bound", (_what, name, evidence) => {
    expect(namesOf(evidence)).toContain(name);
  });

  it("[F6] finds a call too many", () => {
    expect(namesOf(goodEvidence, { ...scenario, calls: () => 0 })).toEqual([
      "calls at the provider",
    ]);
  });

  it("[WD-10] [F6] lets what bounds every task come first while grace puts the verdict off, and only then", () => {
    const end = { status: "BUDGET_EXCEEDED", stop: { reason: "budget_refused", guard: "budget" } };
    const endsInGrace = [{ status: "BUDGET_EXCEEDED" as const }];
    const evidence = withTask("villain", end);
    const fault = (graceMs: number) =>
      missedBounds({ ...scenario, endsInGrace }, evidence, { ...limits, graceMs });
    expect(fault(30_000)).toEqual([]);
    expect(fault(0)).toHaveLength(1);
  });

  it("[GV-1] [F6] lets a governor that is stricter than shipped be the first to end who calls, and only then", () => {
    const stop = { reason: "limit", guard: "governor" };
    const evidence = withTask("villain", { status: "FAILED", stop });
    const faults = (isGovernorStrict: boolean, one: Scenario = scenario) =>
      missedBounds(one, evidence, { ...limits, isGovernorStrict });
    expect(faults(true)).toEqual([]);
    expect(faults(false)).toEqual([expect.stringContaining("right stop reason")]);
    const { calls: _calls, ...silent } = scenario;
    expect(faults(true, silent)).toContainEqual(expect.stringContaining("right stop reason"));
  });

  it("[W7] [F6] finds a kill that came before its verdict", () => {
    expect(namesOf(withEntry("task.killed", 1000))).toEqual([]);
    const killed = goodEvidence.log.find(({ type }) => type === "task.killed");
    const others = goodEvidence.log.filter(({ type }) => type !== "task.killed");
    const log = killed === undefined ? others : [killed, ...others];
    expect(namesOf({ ...goodEvidence, log })).toEqual(["mark, cancel, force in this order"]);
  });

  it("[BU-13] allows an overdraft that the step in flight explains", () => {
    const settle = {
      type: "budget.settled",
      at: 1500,
      actual: amounts(21),
      amounts: amounts(20),
    };
    const overdrawn = withEnvelope({ limit: amounts(119) });
    expect(namesOf({ ...overdrawn, log: [settle, ...overdrawn.log] })).toEqual([]);
  });

  it("has a control for each of its checks above", () => {
    const shown = new Set([
      ...spoilt.map(([, name]) => name),
      "calls at the provider",
      "mark, cancel, force in this order",
    ]);
    expect(new Set(checksOf(scenario).map(({ name }) => name))).toEqual(shown);
  });
});

describe("[F6] checks of single scenarios", () => {
  const named = (name: string): Scenario => {
    const found = allScenarios.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`There is no scenario ${name}.`);
    return found;
  };

  it("[X4] finds a key that a thief has got hold of", () => {
    const thief = named("thief");
    const output = { villain: { found: ["KEY=sk-canary"] } };
    const evidence = { ...goodEvidence, view: { ...goodEvidence.view, output } };
    expect(namesOf(evidence, thief)).toContain("no key in reach");
    expect(namesOf(goodEvidence, thief)).not.toContain("no key in reach");
  });

  it("finds a second answer that counted", () => {
    const twice = named("answers-twice");
    const answering = (answer: number): Evidence => ({
      ...goodEvidence,
      view: { ...goodEvidence.view, output: { villain: { answer } } },
    });
    expect(namesOf(answering(43), twice)).toContain("the first answer counts");
    expect(namesOf(answering(42), twice)).not.toContain("the first answer counts");
  });

  it("finds a broken tool that was tried too often", () => {
    const failing = named("failing-tool");
    const failed = { type: "step.finished", at: 1, kind: "tool", outcome: "failure" };
    const tries = (count: number): Evidence => ({
      ...goodEvidence,
      log: [...goodEvidence.log, ...Array.from({ length: count }, () => failed)],
    });
    expect(namesOf(tries(6), failing)).toContain("tries of a broken tool");
    expect(namesOf(tries(5), failing)).not.toContain("tries of a broken tool");
  });
});

describe("[F6] the scenarios", () => {
  it("have names that differ and can name a model", () => {
    const names = allScenarios.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9-]{0,40}$/);
  });

  it("each ask a question, and say how it may end", () => {
    for (const { question, ends } of allScenarios) {
      expect(question).toMatch(/\?$/);
      expect(ends.length).toBeGreaterThan(0);
    }
  });

  it("let no villain end well that a guard is to stop, unless the guard only refuses it", () => {
    const ends = allScenarios
      .filter(({ guard }) => guard !== "none")
      .filter((row) => row.ends.some(({ status }) => status === "COMPLETED"));
    expect(ends.map(({ name }) => name)).toEqual(["failing-tool", "cascade"]);
  });

  it("call a model by their own name, so that each has its own count", () => {
    const place = { guards: "on", providerUrl: "http://127.0.0.1:1/v1" } as const;
    const models = allScenarios.map(({ name, input }) => [name, input(place)["model"] ?? name]);
    expect(models.filter(([name, model]) => name !== model)).toEqual([]);
    // The control: most of those that are to be stopped do call one.
    expect(allScenarios.filter(({ calls }) => calls !== undefined).length).toBeGreaterThan(10);
  });

  it("give everyone in the cast a part, but for those that do the research", () => {
    const all = Object.values(cast)
      .filter(isAgentDefinition)
      .map(({ name }) => name);
    const played = new Set(allScenarios.map(({ agent }) => agent.name));
    expect(all.filter((name) => !played.has(name))).toEqual([
      "planner",
      "reviewer",
      "searcher",
      "writer",
    ]);
  });
});

describe("[F6] the turns of a round", () => {
  const turnNames = (guards: "on" | "off"): readonly (readonly string[])[] =>
    turnsOf(allScenarios, { guards, parallel: 8 }).map(({ scenarios }) =>
      scenarios.map(({ name }) => name),
    );
  const all = allScenarios.map(({ name }) => name);

  it("are one while guards are on, and so many at once", () => {
    expect(turnNames("on")).toEqual([all]);
    expect(turnsOf(allScenarios, { guards: "on", parallel: 3 })[0]?.lanes).toBe(3);
  });

  it("leave a storm that nothing holds back to itself, when the others are over", () => {
    const [together, ...apart] = turnNames("off");
    expect(apart).toEqual([["cascade"]]);
    expect([...(together ?? []), "cascade"].toSorted()).toEqual(all.toSorted());
  });
});

describe("[F6] what limits imply", () => {
  it("is what is shipped where a configuration says nothing", () => {
    expect(impliedLimits({})).toEqual({
      graceMs: 30_000,
      cancelGraceMs: 5000,
      failuresToOpen: 5,
      callsPerMinute: 60,
      isGovernorStrict: false,
    });
  });

  it.each(["off", "warn"] as const)(
    "is no grace where the watchdog is on %s: it has no verdict to put off",
    (mode) => {
      expect(impliedLimits({ guards: { watchdog: { mode } } }).graceMs).toBe(0);
    },
  );

  it("is a strict governor where a second lets fewer calls through than the shipped one", () => {
    expect(impliedLimits({ guards: { governor: { perSecond: 2 } } }).isGovernorStrict).toBe(true);
  });

  it("is the configuration's own where it is tighter", () => {
    const guards = {
      watchdog: { graceMs: 0, cancelGraceMs: 100 },
      breaker: { consecutiveFailures: 8, minRequestVolume: 3 },
      governor: { perMinute: 7 },
    };
    expect(impliedLimits({ guards })).toEqual({
      graceMs: 0,
      cancelGraceMs: 100,
      failuresToOpen: 3,
      callsPerMinute: 7,
      isGovernorStrict: true,
    });
  });

  it("is never wider than what a bound is worth having for", () => {
    const guards = {
      watchdog: { graceMs: 3_600_000, cancelGraceMs: 600_000 },
      breaker: { consecutiveFailures: 1000, minRequestVolume: 1000 },
      governor: { perMinute: 100_000 },
    };
    expect(impliedLimits({ guards })).toEqual({
      graceMs: 30_000,
      cancelGraceMs: 10_000,
      failuresToOpen: 50,
      callsPerMinute: 600,
      isGovernorStrict: false,
    });
  });
});

describe("[F5] counts over rounds", () => {
  const counts = { processes: 0, handles: 12, timers: 1, threads: 11, listeners: 4 };
  const more = { ...counts, handles: 16 };

  it("may rise in the first round, which warms what is kept", () => {
    expect(grownCounts([counts, more, more])).toEqual([]);
  });

  it("may wobble, and must not grow", () => {
    expect(grownCounts([counts, counts, { ...counts, handles: 15 }])).toEqual([]);
    expect(grownCounts([counts, counts, counts, more])).toEqual([
      "handles grew from 12 to 16 in 2 rounds",
    ]);
  });
});
