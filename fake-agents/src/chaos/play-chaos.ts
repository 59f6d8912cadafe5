/**
 * Plays rounds of scenarios, each round on an installation of its own.
 *
 * 1. What is judged is read after the whole round has been stopped: a call, a process or a hold that comes late is found.
 * 2. Counts of what this process holds are taken between rounds, when everything of a round is closed.
 * 3. The order within a round comes from the seed; which scenarios meet on the machine is chance's, and reproducible.
 */
import { setTimeout as pause } from "node:timers/promises";

import { seededRandom } from "@bridle/kernel/testing";

import { openChaosWorld } from "./chaos-world.ts";
import type { ChaosWorld } from "./chaos-world.ts";
import { missedBounds } from "./checks.ts";
import { countResources, grownCounts } from "./count-resources.ts";
import type { ResourceCounts } from "./count-resources.ts";
import type { Evidence } from "./evidence.ts";
import { builtInLimits, guardsOff, impliedLimits } from "./implied-limits.ts";
import { playScenario } from "./play-scenario.ts";
import type { EarlyEvidence } from "./play-scenario.ts";
import { scenarioResult } from "./report.ts";
import type { ChaosReport, ScenarioResult } from "./report.ts";
import type { ChaosLimits, Scenario } from "./scenario.ts";
import { turnsOf } from "./turns-of.ts";
import type { Turn } from "./turns-of.ts";

export type ScenarioState = "waiting" | "running" | "stopped" | "held" | "missed";

export interface ChaosOptions {
  readonly scenarios: readonly Scenario[];
  readonly rounds: number;
  readonly seed: number;
  readonly guards: "on" | "off";
  /** Default: short times, everything else as shipped. */
  readonly limits?: ChaosLimits | undefined;
  /** How the report names them. */
  readonly config: string;
  /** Scenarios at once. */
  readonly parallel: number;
  /** Ends it after the scenarios in hand. */
  readonly signal?: AbortSignal | undefined;
  /** Contract: both must not throw. */
  readonly onState?: ((name: string, round: number, state: ScenarioState) => void) | undefined;
  readonly onResult?: ((result: ScenarioResult) => void) | undefined;
}

const version = "0.1.0";

export async function playChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { rounds, seed, guards, config } = options;
  const isOver = (): boolean => options.signal?.aborted === true;
  const at = new Date().toISOString();
  const results: ScenarioResult[] = [];
  const left: ResourceCounts[] = [];
  for (let round = 1; round <= rounds && !isOver(); round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- round by round
    results.push(...(await playRound(options, round)));
    // oxlint-disable-next-line no-await-in-loop -- as above
    left.push(await settledCounts());
  }
  const grown = grownCounts(left);
  const ok = !isOver() && grown.length === 0 && results.every(({ missed }) => missed.length === 0);
  return { version, at, guards, seed, rounds, config, results, left, grown, ok };
}

async function playRound(options: ChaosOptions, round: number): Promise<readonly ScenarioResult[]> {
  const { guards, limits = builtInLimits, seed, onResult, onState } = options;
  const scenarios = shuffled(options.scenarios, seed + round);
  const world = await openChaosWorld({
    scenarios,
    limits: guards === "on" ? limits : guardsOff,
  });
  const played = new Map<Scenario, EarlyEvidence>();
  try {
    try {
      await playAll(world, scenarios, { options, round, played });
    } finally {
      await world.stop();
    }
    const late = { openLater: await openAtRest(world), aliveLater: await aliveAtRest(world) };
    return [...played].map(([scenario, early]) => {
      const counted = world.counted(scenario.name);
      const evidence: Evidence = {
        ...early,
        countedLater: counted,
        openLater: late.openLater,
        aliveLater: late.aliveLater(early.view.runId),
      };
      const missed = guards === "on" ? missedBounds(scenario, evidence, impliedLimits(limits)) : [];
      const result = scenarioResult(scenario, evidence, { round, missed });
      onState?.(scenario.name, round, missed.length === 0 ? "held" : "missed");
      onResult?.(result);
      return result;
    });
  } finally {
    await world.close();
  }
}

interface Round {
  readonly options: ChaosOptions;
  readonly round: number;
  readonly played: Map<Scenario, EarlyEvidence>;
}

async function playAll(
  world: ChaosWorld,
  scenarios: readonly Scenario[],
  round: Round,
): Promise<void> {
  for (const turn of turnsOf(scenarios, round.options)) {
    // oxlint-disable-next-line no-await-in-loop -- turn by turn
    await playTurn(world, turn, round);
  }
}

/** So many at once, the next as soon as one is done. */
async function playTurn(
  world: ChaosWorld,
  { scenarios, lanes }: Turn,
  { options, round, played }: Round,
): Promise<void> {
  const { guards, signal, onState, limits = builtInLimits } = options;
  const waiting = [...scenarios];
  const lane = async (): Promise<void> => {
    for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
      if (signal?.aborted === true) return;
      const { name } = scenario;
      // oxlint-disable-next-line no-await-in-loop -- one after the other is what a lane is
      const evidence = await playScenario(world, scenario, {
        guards,
        limits: impliedLimits(limits),
        onState: (state) => onState?.(name, round, state),
      });
      played.set(scenario, evidence);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** How long what ends by itself in a moment is given for that. */
const restMs = 2000;
const lookMs = 20;

async function openAtRest({ provider }: ChaosWorld): Promise<number> {
  for (let waitedMs = 0; provider.counters().open > 0 && waitedMs < restMs; waitedMs += lookMs) {
    // oxlint-disable-next-line no-await-in-loop -- looks again
    await pause(lookMs);
  }
  return provider.counters().open;
}

async function aliveAtRest({
  isolates,
}: ChaosWorld): Promise<(runId: string) => readonly number[]> {
  for (let waitedMs = 0; isolates.allAlive().length > 0 && waitedMs < restMs; waitedMs += lookMs) {
    // oxlint-disable-next-line no-await-in-loop -- looks again
    await pause(lookMs);
  }
  return (runId) => isolates.alive(`${runId}/villain`);
}

/** The same twice in a row, or what there is after a while. */
async function settledCounts(): Promise<ResourceCounts> {
  let before = countResources();
  for (let waitedMs = 0; waitedMs < restMs; waitedMs += 100) {
    // oxlint-disable-next-line no-await-in-loop -- looks again
    await pause(100);
    const now = countResources();
    if (JSON.stringify(now) === JSON.stringify(before)) return now;
    before = now;
  }
  return before;
}

function shuffled<Item>(items: readonly Item[], seed: number): readonly Item[] {
  const random = seededRandom(seed);
  return items
    .map((item) => ({ item, at: random.next() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ item }) => item);
}
