import { seededRandom } from "@bridle/kernel/testing";

import { Draw } from "./draw.ts";
import { generateDays } from "./generate-days.ts";
import { generateFault, generateOutage, generateStorm } from "./generate-fault.ts";
import type { Cast } from "./generate-fault.ts";
import { generateWideWorkflow, generateWorkflow } from "./generate-workflow.ts";
import { losesTail } from "./scenario.ts";
import type { Fault, Order, PlannedRun, Scenario } from "./scenario.ts";

/** The world of a seed. Every third one is calm: a fault of the product that needs no fault of the world shows there first. */
export function generateScenario(seed: number): Scenario {
  const draw = new Draw(seededRandom(seed));
  const schedulers = draw.chance(0.5) ? 2 : 1;
  const networkMs = draw.of([0, 0, 2, 40]);
  const workers = draw.chance(0.4) ? 2 : 1;
  const calmAt = draw.between(10, 50) * 1000;
  const runs = draw.list(1, 4, (index): PlannedRun => ({
    at: draw.between(0, calmAt / 2),
    spec: generateWorkflow(draw, index),
    input: { size: draw.between(0, 9), items: draw.list(0, 4, (item) => item) },
  }));
  const cast = { schedulers, workers, calmAt, starts: runs.map(({ at }) => at) };
  const scenario = {
    seed,
    schedulers,
    workers,
    feed: draw.chance(0.15) ? "off" : "on",
    networkMs,
    latencyMs: draw.of([20, 200, 3000]),
    // One entry at a time over a slow line takes longer than anybody waits.
    pages: networkMs > 2 ? draw.of([20, 1000]) : draw.of([1, 3, 20]),
    perDay: generateDays(seed),
    runs,
    orders: draw.chance(0.5) ? draw.list(1, 3, () => generateOrder(draw, runs, calmAt)) : [],
    faults: [
      ...(draw.chance(1 / 3) ? [] : generateFaults(draw, cast)),
      ...(draw.chance(0.75) ? generateStorm(draw, cast) : []),
    ],
    breakers: draw.of(["patient", "touchy", "touchy"]),
    calmAt,
  } as const;
  return draw.chance(0.15) ? withOutage(draw, cast, scenario) : scenario;
}

/** Every target down while two runs want them: tasks park, in more than one line, and come back in order. */
function withOutage(draw: Draw, cast: Cast, scenario: Scenario): Scenario {
  const more = draw.list(1, 2, (index): PlannedRun => ({
    at: draw.between(0, cast.calmAt / 2),
    spec: generateWideWorkflow(draw, index),
    input: {},
  }));
  const faults = [...scenario.faults, ...generateOutage(draw, cast)];
  // A dozen tasks at once, read one by one every two seconds, wait longer than anything may.
  const pages = Math.max(scenario.pages, 20);
  return { ...scenario, pages, runs: [...scenario.runs, ...more], faults };
}

function generateFaults(draw: Draw, cast: Cast): readonly Fault[] {
  const faults = draw.list(1, 7, () => generateFault(draw, cast));
  // A store that comes back without its tail has no connections from before.
  return losesTail({ faults })
    ? faults.filter((fault) => fault.kind !== "away" || fault.lost !== "late")
    : faults;
}

function generateOrder(draw: Draw, runs: readonly PlannedRun[], calmAt: number): Order {
  const run = draw.between(0, runs.length - 1);
  const at = draw.between(0, calmAt);
  const kind = draw.of(["cancel", "pause", "pause", "resume", "resume"]);
  if (kind !== "cancel") return { kind, at, run };
  const tasks = runs[run]?.spec.tasks ?? [];
  const task = tasks[draw.between(0, tasks.length - 1)];
  if (task === undefined || draw.chance(0.4)) return { kind, at, run };
  const isItem = task.forEach !== undefined && draw.chance(0.5);
  return { kind, at, run, task: isItem ? `${task.id}[${draw.between(0, 2)}]` : task.id };
}
