/**
 * `npm run simulate -- --seeds N [--seed S] [--processes P]`
 *
 * Plays N seeds, each twice, over P processes. A failing seed is told with its shrunken world, which is kept as a case.
 * Exit code 1 when a seed failed.
 */
import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

import { keepCase } from "../kept-cases.ts";
import { generateScenario } from "../scenario/generate-scenario.ts";
import { shrink } from "../shrink.ts";
import { playSeeds } from "./play-seeds.ts";
import type { Share } from "./play-seeds.ts";
import { addTallies, nothing } from "./tally.ts";
import type { Failure, Tally } from "./tally.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    processes: { type: "string", default: String(availableParallelism()) },
    share: { type: "string" },
  },
});

/** One share of the seeds in a process of its own, told back as one message. */
async function playElsewhere(share: Share): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL(import.meta.url), ["--share", JSON.stringify(share)]);
    child.once("message", (tally) => resolve(tally as Tally));
    child.once("exit", (code) => {
      if (code !== 0) reject(new Error(`A process of the simulation ended with ${String(code)}.`));
    });
  });
}

async function playAll(from: number, seeds: number, processes: number): Promise<Tally> {
  const shares = Array.from({ length: processes }, (_, index) => ({
    from: from + index,
    seeds: Math.floor(seeds / processes) + (index < seeds % processes ? 1 : 0),
    step: processes,
  })).filter((share) => share.seeds > 0);
  const tallies = await Promise.all(
    shares.length === 1 ? shares.map(playSeeds) : shares.map(playElsewhere),
  );
  return tallies.reduce(addTallies, nothing);
}

async function tellFailure({ seed, invariant, message }: Failure): Promise<void> {
  process.stdout.write(`\nseed ${seed} breaks ${invariant}: ${message}\n`);
  // Two plays that differ are not made smaller: each try might differ in its own way.
  if (invariant === "determinism") return;
  const { scenario, outcome, plays } = await shrink(generateScenario(seed), invariant);
  const found = outcome.breach?.message ?? message;
  const file = keepCase({ name: `seed-${seed}`, found, scenario });
  const { faults, orders, runs, schedulers, workers } = scenario;
  process.stdout.write(
    `shrunken in ${plays} plays to ${runs.length} run(s), ${schedulers} scheduler(s), ${workers} worker(s); kept as test/simulation/cases/${file}\n`,
  );
  for (const part of [...faults, ...orders]) process.stdout.write(`  ${JSON.stringify(part)}\n`);
  process.stdout.write(`  ${found}\n`);
}

async function main(): Promise<void> {
  if (values.share !== undefined) {
    process.send?.(await playSeeds(JSON.parse(values.share) as Share));
    process.disconnect();
    return;
  }
  const [from, seeds, processes] = [values.seed, values.seeds, values.processes].map(Number);
  const startedMs = performance.now();
  const tally = await playAll(from ?? 1, seeds ?? 1, processes ?? 1);
  const seconds = (performance.now() - startedMs) / 1000;
  const per = (count: number): string => (count / seconds).toFixed(1);
  for (const failure of tally.failures.slice(0, 5)) {
    // oxlint-disable-next-line no-await-in-loop -- told one after the other
    await tellFailure(failure);
  }
  process.stdout.write(
    `\n${tally.seeds} seeds, each twice, in ${seconds.toFixed(1)} s: ${per(tally.seeds)} seeds/s, ${per(tally.runs)} runs/s, ${per(tally.events)} events/s\n` +
      `${tally.runs} runs, ${tally.wireCalls} model calls, ${(tally.simulatedMs / 3_600_000).toFixed(1)} hours of simulated time\n` +
      `${tally.failures.length} seed(s) failed${tally.failures.length > 0 ? `: ${tally.failures.map(({ seed }) => seed).join(" ")}` : ""}\n`,
  );
  process.exitCode = tally.failures.length > 0 ? 1 : 0;
}

await main();
