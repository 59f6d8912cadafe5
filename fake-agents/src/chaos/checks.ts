/**
 * What every scenario is asked at its end. Each check is a pure predicate over what was recorded, and says what it found instead.
 */
import { fromWireAmounts } from "@bridle/protocol";

import { eventsOf, isEnd, stopTimes } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import { neighbour, neighbourSteps, villain } from "./scenario.ts";
import type { Check, ExpectedEnd, ImpliedLimits, Scenario } from "./scenario.ts";

/** Between an order and its event: one scan, and what a machine busy with other scenarios needs. */
const reclaimSlackMs = 3000;

/** What is in the log before a task may be killed: a verdict, or a person's word. */
const marks: ReadonlySet<string> = new Set([
  "task.stalled",
  "task.timed_out",
  "task.looping",
  "task.cancelling",
]);

/** The questions of one scenario, its own last. */
export function checksOf(scenario: Scenario): readonly Check[] {
  return [
    notUnplugged(scenario),
    rightEnd(scenario),
    inTime(scenario),
    reclaimed,
    markedFirst,
    endsOnce,
    callsWithin(scenario),
    nothingAfterTheEnd,
    booksBalanced,
    nothingLeft,
    neighbourUnharmed,
    ...(scenario.checks ?? []),
  ];
}

function notUnplugged({ guard }: Scenario): Check {
  return {
    name: `stopped by the ${guard}`,
    fault: ({ wasUnplugged }) =>
      wasUnplugged ? "nobody stopped it, so the plug was pulled" : undefined,
  };
}

const governed: ExpectedEnd = { status: "FAILED", reason: "limit", guard: "governor" };

function endsUnder(
  { graceMs, isGovernorStrict }: ImpliedLimits,
  { ends, endsInGrace = [], calls }: Scenario,
): readonly ExpectedEnd[] {
  return [
    ...ends,
    ...(graceMs > 0 ? endsInGrace : []),
    ...(isGovernorStrict && calls !== undefined ? [governed] : []),
  ];
}

function rightEnd(scenario: Scenario): Check {
  return {
    name: "right stop reason",
    fault: ({ view }, limits) => {
      const ends = endsUnder(limits, scenario);
      const task = view.tasks.find(({ id }) => id === villain);
      const end = { status: task?.status, reason: task?.stop?.reason, guard: task?.stop?.guard };
      if (ends.some((expected) => isSameEnd(expected, end))) return undefined;
      return `ended ${inWords(end)}, not ${ends.map(inWords).join(" or ")}`;
    },
  };
}

type End = { readonly [Key in keyof ExpectedEnd]: ExpectedEnd[Key] | undefined };

function isSameEnd(expected: ExpectedEnd, end: End): boolean {
  return (
    expected.status === end.status &&
    (expected.reason === undefined || expected.reason === end.reason) &&
    (expected.guard === undefined || expected.guard === end.guard)
  );
}

function inWords({ status, reason, guard }: End): string {
  const why = reason === undefined ? "" : `(${reason})`;
  const who = guard === undefined || guard === "none" ? "" : ` by the ${guard}`;
  return `${status ?? "nowhere"}${why}${who}`;
}

function inTime({ withinMs }: Scenario): Check {
  return {
    name: "time to stop",
    fault: (evidence, limits) => {
      const { livedMs } = stopTimes(evidence, villain);
      const bound = withinMs(limits);
      if (livedMs === undefined) return "it never started or never ended";
      return livedMs <= bound ? undefined : `it lived for ${livedMs} ms; the bound is ${bound} ms`;
    },
  };
}

const reclaimed: Check = {
  name: "time from the verdict to the reclaim",
  fault: (evidence, limits) => {
    const { reclaimMs } = stopTimes(evidence, villain);
    const bound = limits.cancelGraceMs + reclaimSlackMs;
    return reclaimMs === undefined || reclaimMs <= bound
      ? undefined
      : `it took ${reclaimMs} ms; the bound is ${bound} ms`;
  },
};

/** Nothing is killed without a word before it (W7): the entries stand in the log's order. */
const markedFirst: Check = {
  name: "mark, cancel, force in this order",
  fault: (evidence) => {
    const types = eventsOf(evidence, villain).map(({ type }) => type);
    const killed = types.indexOf("task.killed");
    if (killed === -1) return undefined;
    return types.slice(0, killed).some((type) => marks.has(type))
      ? undefined
      : "it was killed before anybody had said why";
  },
};

const endsOnce: Check = {
  name: "exactly one terminal event",
  fault: (evidence) => {
    const runs = evidence.log.filter(({ type }) => type === "run.finished").length;
    const tasks = [villain, neighbour].map((id) => eventsOf(evidence, id).filter(isEnd).length);
    if (runs === 1 && tasks.every((count) => count === 1)) return undefined;
    return `the run ended ${runs} times, its tasks ${tasks.join(" and ")} times`;
  },
};

function callsWithin({ calls }: Scenario): Check {
  return {
    name: "calls at the provider",
    fault: ({ countedLater }, limits) => {
      const bound = calls?.(limits) ?? 0;
      const { requests } = countedLater;
      return requests <= bound ? undefined : `${requests} were made; the bound is ${bound}`;
    },
  };
}

const nothingAfterTheEnd: Check = {
  name: "no call after the end",
  fault: ({ countedAtEnd, countedLater, openLater }) => {
    const more = countedLater.requests - countedAtEnd.requests;
    if (more > 0) return `${more} more were made`;
    return openLater > 0 ? `${openLater} are still open at the provider` : undefined;
  },
};

/** Nothing is held, no bill is missing, and no envelope is overdrawn by more than its overruns (BU-13). */
const booksBalanced: Check = {
  name: "books",
  fault: ({ envelopes, log, countedLater }) => {
    const held = envelopes.find(({ reserved }) => Number(reserved.tokens) !== 0);
    if (held !== undefined) return `${held.reserved.tokens} tokens are still held`;
    const run = envelopes.find(({ envelope }) => envelope === "run");
    if (run === undefined) return "the run has no envelope";
    const { promptTokens, completionTokens } = countedLater;
    const booked = fromWireAmounts(run.settled).tokens;
    const billed = promptTokens + completionTokens;
    if (booked < billed) return `${booked} tokens are booked; the provider billed ${billed}`;
    const overruns = log.reduce((sum, event) => sum + overrunOf(event), 0);
    const over = Math.max(
      ...envelopes.map(({ settled, limit }) => tokensOf(settled) - tokensOf(limit)),
    );
    return over <= overruns
      ? undefined
      : `an envelope is overdrawn by ${over} tokens; the steps in flight explain ${overruns}`;
  },
};

function tokensOf(amounts: { readonly tokens: string } | undefined): number {
  return Number(amounts?.tokens ?? 0);
}

function overrunOf(event: Evidence["log"][number]): number {
  if (event.type !== "budget.settled") return 0;
  // The API's settle entries carry both amounts as the ledger wrote them.
  const { actual, amounts } = event as unknown as Record<string, { readonly tokens: string }>;
  return Math.max(0, tokensOf(actual) - tokensOf(amounts));
}

const nothingLeft: Check = {
  name: "no live process",
  fault: ({ aliveAtEnd, aliveLater }) => {
    if (aliveAtEnd.length > 0) return `after its end ${pids(aliveAtEnd)} still lived`;
    return aliveLater.length > 0 ? `after the stop ${pids(aliveLater)} still lived` : undefined;
  },
};

function pids(list: readonly number[]): string {
  return `${list.length === 1 ? "process" : "processes"} ${list.join(", ")}`;
}

/** The answer of an agent that counts its steps, as it is stored. */
const neighbourResult = JSON.stringify({ steps: neighbourSteps });

const neighbourUnharmed: Check = {
  name: "neighbour unharmed",
  fault: (evidence) => {
    const task = evidence.view.tasks.find(({ id }) => id === neighbour);
    if (task?.status !== "COMPLETED") return `it ended ${task?.status ?? "nowhere"}`;
    const done = eventsOf(evidence, neighbour);
    const steps = done.filter(
      ({ type, outcome }) => type === "step.finished" && outcome === "success",
    ).length;
    const result = done.find(({ type }) => type === "task.completed")?.["outputBytes"];
    if (steps === neighbourSteps && result === neighbourResult.length) return undefined;
    return `it took ${steps} of ${neighbourSteps} steps and answered with ${String(result)} bytes`;
  },
};

/** What is missed, one sentence each that starts with the bound's name. */
export function missedBounds(
  scenario: Scenario,
  evidence: Evidence,
  limits: ImpliedLimits,
): readonly string[] {
  return checksOf(scenario).flatMap(({ name, fault }) => {
    const found = fault(evidence, limits);
    return found === undefined ? [] : [`${name}: ${found}`];
  });
}
