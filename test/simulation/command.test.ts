import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { readCampaignOptions } from "./command/campaign-options.ts";
import { describeCampaign, describeProgress } from "./command/describe-campaign.ts";
import { playCampaign } from "./command/play-campaign.ts";
import type { Block } from "./command/play-seeds.ts";
import type { Player } from "./command/player.ts";
import { nothing } from "./command/tally.ts";
import type { Failure } from "./command/tally.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Writes down what it is given, and fails at the seeds it is told to. */
function playerOf(played: number[], failing: readonly number[] = []): Player {
  return {
    play: async ({ from, seeds }: Block) => {
      const block = Array.from({ length: seeds }, (_, index) => from + index);
      played.push(...block);
      const failures = block
        .filter((seed) => failing.includes(seed))
        .map((seed): Failure => ({ seed, invariant: "anInvariant", message: "broke" }));
      return { ...nothing, seeds, failures };
    },
    close: () => {},
  };
}

async function campaign(keepGoing: boolean, failing: readonly number[]) {
  const played: number[] = [];
  const told: number[] = [];
  const players = [playerOf(played, failing), playerOf(played, failing)];
  const tally = await playCampaign({ from: 11, seeds: 130, keepGoing }, players, {
    onTally: () => {},
    onFailure: async ({ seed }) => void told.push(seed),
    signal: new AbortController().signal,
  });
  return { played: played.toSorted((left, right) => left - right), told, tally };
}

describe("a campaign", () => {
  it("plays each of its seeds once, whoever plays it", async () => {
    const { played, tally } = await campaign(false, []);
    expect(played).toEqual(Array.from({ length: 130 }, (_, index) => 11 + index));
    expect(tally).toMatchObject({ seeds: 130, failures: [] });
  });

  it("stops handing out seeds after one has failed", async () => {
    const { played, told } = await campaign(false, [12]);
    expect(told).toEqual([12]);
    expect(played.length).toBeLessThan(130);
  });

  it("goes on to the end when it is to keep going, and tells of each seed that failed", async () => {
    const { played, told, tally } = await campaign(true, [12, 100]);
    expect(told).toEqual([12, 100]);
    expect(played).toHaveLength(130);
    expect(tally.failures).toHaveLength(2);
  });

  it("that is interrupted answers with what was played until then", async () => {
    const interrupted = new AbortController();
    const played: number[] = [];
    const tally = await playCampaign(
      { from: 1, seeds: 130, keepGoing: false },
      [playerOf(played)],
      {
        onTally: () => interrupted.abort(),
        onFailure: async () => {},
        signal: interrupted.signal,
      },
    );
    expect(tally.seeds).toBe(played.length);
    expect(played.length).toBeGreaterThan(0);
    expect(played.length).toBeLessThan(130);
  });

  it("says how far it is and when it will be over", () => {
    const tally = { ...nothing, seeds: 3000, cpuMs: 60_000, peakRssBytes: 250e6 };
    expect(describeProgress(tally, 100_000, 30)).toBe(
      "3,000 of 100,000 seeds, 0 failed, 100.0 seeds/s, 50.0 per CPU second, 250 MB, 16 min left",
    );
  });

  it("says which seeds failed", () => {
    const failures = [9, 4].map((seed) => ({ seed, invariant: "one", message: "broke" }));
    expect(describeCampaign({ ...nothing, failures }, 1)).toContain("2 seed(s) failed: 4 9");
  });
});

describe("the arguments of a campaign", () => {
  it("are 200 seeds from the first over two processes, stopping at a failure", () => {
    const options = { from: 1, seeds: 200, processes: 2, keepGoing: false, output: "text" };
    expect(readCampaignOptions([])).toEqual(options);
  });

  it.each([
    ["one world", ["--seed", "4711"], { from: 4711, seeds: 1 }],
    ["many from a seed", ["--seeds", "50", "--from", "101"], { from: 101, seeds: 50 }],
    ["all of them", ["--keep-going", "-o", "json"], { keepGoing: true, output: "json" }],
  ])("may ask for %s", (_, args, expected) => {
    expect(readCampaignOptions(args)).toMatchObject(expected);
  });

  it.each([
    [["--seeds", "many"], /--seeds is many/],
    [["--processes", "0"], /--processes is 0/],
    [["--output", "yaml"], /--output is yaml/],
    [["--sed", "1"], /--sed/],
  ])("are refused in words when they make no sense: %j", (args, message) => {
    expect(() => readCampaignOptions(args)).toThrow(message);
  });
});

describe("npm run simulate", () => {
  it("plays the worlds in processes of their own and sums them up as JSON", () => {
    const command = ["--import", "tsx", "--conditions=@bridle/source"];
    const args = ["--seeds", "3", "--from", "5", "--processes", "2", "-o", "json"];
    const main = "test/simulation/command/main.ts";
    const text = execFileSync(process.execPath, [...command, main, ...args], {
      cwd: root,
      encoding: "utf8",
    });
    const summary = JSON.parse(text) as { readonly runs: number };
    expect(summary).toMatchObject({ from: 5, seeds: 3, failures: [] });
    expect(summary.runs).toBeGreaterThanOrEqual(3);
  });
});
