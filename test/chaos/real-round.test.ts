import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { allScenarios } from "@bridle/fake-agents/chaos";
import type { ChaosReport, ScenarioResult } from "@bridle/fake-agents/chaos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { bridle } from "../system/bridle-process.ts";

/*
 * The command as it is shipped, in a folder of its own: real processes, an embedded store, a provider on loopback.
 */

interface Played {
  readonly code: number;
  readonly err: string;
  readonly report: ChaosReport;
  /** What was in the folder it was started in, and in its folder for temporary files. */
  readonly filesLeft: readonly string[];
}

const folders: string[] = [];
afterAll(async () => {
  await Promise.all(folders.map(async (folder) => rm(folder, { recursive: true, force: true })));
});

async function emptyFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `bridle-chaos-test-${name}-`));
  folders.push(folder);
  return folder;
}

async function play(...args: readonly string[]): Promise<Played> {
  const [cwd, temporary] = [await emptyFolder("in"), await emptyFolder("tmp")];
  const env = { TMPDIR: temporary };
  const { code, out, err } = await bridle({ cwd, env, args: ["chaos", "run", ...args, "-ojson"] });
  const filesLeft = [...(await readdir(cwd)), ...(await readdir(temporary))];
  return { code, err, report: JSON.parse(out) as ChaosReport, filesLeft };
}

/** A configuration in another folder than the one the command is started in. */
async function configWith(guards: object): Promise<string> {
  const file = join(await emptyFolder("config"), "bridle.config.mjs");
  const config = { providers: {}, models: {}, agents: [], guards };
  await writeFile(file, `export default ${JSON.stringify(config)};\n`);
  return file;
}

const missedOf = ({ report }: Played): readonly string[] =>
  report.results.flatMap(({ missed }) => missed);

describe("one round of every scenario", () => {
  let round: Played;
  const resultOf = (name: string): ScenarioResult => {
    const found = round.report.results.find((result) => result.name === name);
    if (found === undefined) throw new Error(`${name} was not played.`);
    return found;
  };

  beforeAll(async () => {
    round = await play("--all", "--seed", "7", "--parallel", "6");
  });

  test("[F4] [F6] holds every bound, and ends 0", () => {
    expect(missedOf(round)).toEqual([]);
    expect(round.report).toMatchObject({ ok: true, guards: "on", grown: [] });
    expect(round.code).toBe(0);
  });

  test("[F6] plays each of them once, and leaves no file", () => {
    const names = round.report.results.map(({ name }) => name);
    expect(names.toSorted()).toEqual(allScenarios.map(({ name }) => name).toSorted());
    expect(round.filesLeft).toEqual([]);
  });

  test("[F6] the twenty-dollar minute is a few paid calls", () => {
    const { calls, usd } = resultOf("twenty-dollar-minute");
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThanOrEqual(5);
    expect(usd).toBeLessThan(0.2);
  });

  test("[BU-10] [F6] the night loop ends at 225 steps of 4,000 tokens", () => {
    expect(resultOf("night-loop")).toMatchObject({ calls: 225, tokens: 900_000 });
  });

  test("[X5] [F6] a process that grows without end is ended, and an answer without end as well", () => {
    expect(resultOf("memory-hog")).toMatchObject({ endedAs: "CRASHED", orphans: 0 });
    expect(resultOf("answers-too-much")).toMatchObject({ endedAs: "FAILED", reason: "limit" });
  });

  test("[F6] all good work comes through", () => {
    const good = allScenarios.filter(({ name }) => /^works-|^long-stream$/.test(name));
    expect(good.length).toBeGreaterThanOrEqual(6);
    for (const { name } of good) expect(resultOf(name).endedAs).toBe("COMPLETED");
  });
});

describe("limits of one's own, from another folder", () => {
  test("[F6] are held, when they are right", async () => {
    const config = await configWith({
      watchdog: { graceMs: 0, cancelGraceMs: 200 },
      breaker: { consecutiveFailures: 3 },
    });
    const played = await play("spins", "failing-tool", "budget-blow-out", "--config", config);
    expect(missedOf(played)).toEqual([]);
    expect(played.report.config).toBe(config);
    expect(played.code).toBe(0);
  });

  test.each([
    [
      "a budget that is off",
      "budget-blow-out",
      { watchdog: { graceMs: 0 }, budget: { mode: "off" } },
      /^calls at the provider: \d+ were made; the bound is 7$/,
    ],
    [
      "a governor that is off",
      "hammering",
      { watchdog: { graceMs: 0 }, governor: { mode: "off" } },
      /^calls at the provider: \d+ were made; the bound is 60$/,
    ],
    [
      "thirty seconds from the cancel to the kill",
      "ignores-cancel",
      { watchdog: { graceMs: 0, cancelGraceMs: 30_000 } },
      /^time from the verdict to the reclaim: it took \d+ ms; the bound is 13000 ms$/,
    ],
    [
      "a watchdog that is off",
      "silent-hang",
      { watchdog: { mode: "off", graceMs: 0, cancelGraceMs: 200 } },
      /^stopped by the watchdog: nobody stopped it, so the plug was pulled$/,
    ],
  ])("[F6] %s ends 1 and names the bound that %s misses", async (_what, name, guards, bound) => {
    const played = await play(name, "--config", await configWith(guards));
    expect(played.code).toBe(1);
    expect(missedOf(played)).toContainEqual(expect.stringMatching(bound));
    expect(played.err).toContain(`MISSED  ${name} (round 1): `);
  });
});

describe("rounds", () => {
  test("[F5] leave no more processes, handles, timers, threads or listeners than the round before", async () => {
    const names = ["spins", "grandchild", "exits", "slow-call", "budget-blow-out", "answers-twice"];
    const { code, report } = await play(...names, "--rounds", "4");
    expect(report.left).toHaveLength(4);
    expect(report.left.map(({ processes }) => processes)).toEqual([0, 0, 0, 0]);
    expect(report.results.map(({ orphans }) => orphans)).toEqual(report.results.map(() => 0));
    expect(report.grown).toEqual([]);
    expect(code).toBe(0);
    // The control: there was something to leave behind.
    expect(report.results).toHaveLength(4 * names.length);
  });
});
