// Real time: the moment of death is what is drawn; nothing is waited for.
import { setTimeout as pause } from "node:timers/promises";

import { seededRandom } from "@bridle/kernel/testing";
import { describe, test } from "vitest";

import { useFiftyTaskRun } from "./fifty-task-run.ts";

const seed = Number(process.env["KILL_SEED"] ?? 20_261_129);

describe(`[S8] killed with -9 at random times of a run of fifty tasks (seed ${seed}), and started again`, () => {
  const { expectWhole, kill, restart, submit } = useFiftyTaskRun();
  const random = seededRandom(seed);
  // A run takes about a second: from its first append to just before its end.
  const kills = Array.from({ length: 22 }, (_, index) => ({
    name: `kill-${index}`,
    delayMs: Math.round(20 + random.next() * 900),
  }));

  test.each(kills)(
    "it completes when it died after $delayMs ms ($name)",
    { timeout: 120_000 },
    async ({ delayMs, name }) => {
      const runId = await submit(name);
      await pause(delayMs);
      kill();
      await restart();
      await expectWhole(name, runId);
    },
  );
});
