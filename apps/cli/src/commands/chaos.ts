import { resolve } from "node:path";

import { allScenarios, builtInLimits, playChaos } from "@bridle/fake-agents/chaos";
import type { ChaosLimits, ChaosReport, Scenario } from "@bridle/fake-agents/chaos";
import { loadConfig } from "@bridle/host";
import { systemClock } from "@bridle/kernel/system";
import { bridleError } from "@bridle/protocol";

import { showChaos } from "../chaos/show-chaos.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { safeJson } from "../text/sanitize.ts";
import { tuneEngine } from "../tune-engine.ts";

export interface ChaosRunOptions {
  readonly output: "text" | "json";
  readonly all?: boolean | undefined;
  readonly rounds: string;
  readonly seed: string;
  readonly parallel: string;
  readonly guards: "on" | "off";
  readonly config?: string | undefined;
}

/** What there is to play, and what each of them asks. */
export function listChaos({ output }: Pick<ChaosRunOptions, "output">, io: Io): number {
  if (output === "json") {
    const rows = allScenarios.map(({ name, question, guard }) => ({ name, guard, question }));
    io.out(`${safeJson(rows, 2)}\n`);
    return exitCodes.completed;
  }
  const width = Math.max(...allScenarios.map(({ name }) => name.length));
  for (const { name, guard, question } of allScenarios)
    io.out(`${name.padEnd(width)}  ${guard.padEnd(9)}  ${question}\n`);
  return exitCodes.completed;
}

/** Plays scenarios on this machine. Exit code 1 when a bound is missed or something grows. */
export async function runChaos(
  names: readonly string[],
  options: ChaosRunOptions,
  io: Io,
): Promise<number> {
  const scenarios = chosen(names, options.all === true);
  const rounds = wholeNumber("--rounds", options.rounds, 1);
  const seed = wholeNumber("--seed", options.seed, 0);
  const parallel = wholeNumber("--parallel", options.parallel, 1);
  const { limits, config } = await limitsOf(options.config, io);
  tuneEngine();
  const interrupted = new AbortController();
  const stop = (): void => {
    if (interrupted.signal.aborted) io.exitNow(exitCodes.interrupted);
    interrupted.abort();
    io.err("Stopping after the scenarios in hand; once more to leave at once.\n");
  };
  const listening = [io.onInterrupt(stop), io.onTerminate(stop)];
  const view = showChaos(io, systemClock, { scenarios, rounds, guards: options.guards });
  try {
    const report = await playChaos({
      scenarios,
      rounds,
      seed,
      parallel,
      guards: options.guards,
      limits,
      config,
      signal: interrupted.signal,
      onState: (name, round, state) => view.state(name, round, state),
      onResult: (result) => view.result(result),
    });
    view.stop();
    return conclude(report, interrupted.signal.aborted, { options, io });
  } finally {
    view.stop();
    for (const stopListening of listening) stopListening();
  }
}

function conclude(
  report: ChaosReport,
  wasInterrupted: boolean,
  { options, io }: { readonly options: ChaosRunOptions; readonly io: Io },
): number {
  if (options.output === "json") io.out(`${safeJson(report, 2)}\n`);
  const missed = report.results.filter((result) => result.missed.length > 0);
  for (const { name, round, missed: bounds } of missed)
    for (const bound of bounds) io.err(`MISSED  ${name} (round ${round}): ${bound}\n`);
  for (const sentence of report.grown) io.err(`GREW    ${sentence}\n`);
  if (wasInterrupted) return exitCodes.interrupted;
  if (report.guards === "off") {
    io.err("Guards were off: this is what they are for. Nothing was judged.\n");
    return exitCodes.completed;
  }
  io.err(
    report.ok
      ? `Every bound held: ${report.results.length} scenarios in ${report.rounds} round(s), with ${report.config}.\n`
      : `${missed.length} of ${report.results.length} missed a bound, with ${report.config}.\n`,
  );
  return report.ok ? exitCodes.completed : exitCodes.failed;
}

function chosen(names: readonly string[], all: boolean): readonly Scenario[] {
  if (all && names.length === 0) return allScenarios;
  if (all || names.length === 0) {
    throw badUsage(
      all
        ? "Give names or --all, not both."
        : "Give the names of scenarios, or --all. `bridle chaos list` shows them.",
    );
  }
  // Once each: two plays of one scenario in a round would be counted as one.
  return [...new Set(names)].map((name) => {
    const found = allScenarios.find((scenario) => scenario.name === name);
    if (found !== undefined) return found;
    throw badUsage(`There is no scenario "${name}". \`bridle chaos list\` shows them.`);
  });
}

function wholeNumber(option: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw badUsage(`${option} expects a whole number from ${least}, not "${text}".`);
}

function badUsage(message: string): Error {
  return bridleError("request_invalid", { message });
}

interface ChosenLimits {
  readonly limits: ChaosLimits;
  readonly config: string;
}

/** The guards, limits and liveness of the user's own configuration; its agents and keys are not touched. */
async function limitsOf(path: string | undefined, io: Io): Promise<ChosenLimits> {
  if (path === undefined) return { limits: builtInLimits, config: "the built-in limits" };
  const file = resolve(io.cwd, path);
  const { config } = await loadConfig(io.cwd, file);
  const { guards, limits, liveness } = config;
  return { limits: { guards, limits, liveness }, config: file };
}
