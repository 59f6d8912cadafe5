import { describe, expect, test } from "vitest";

import { failpointNames } from "../support/with-failpoints.ts";
import { useFiftyTaskRun } from "./fifty-task-run.ts";
import type { Hits, Trap } from "./trap.ts";

/** One trap at each side of each arrow of the task protocol. */
function trapsOf(action: Trap["action"], hit: number): readonly Trap[] {
  return failpointNames.flatMap((point) => [
    { point, when: "before", hit, action },
    { point, when: "after", hit, action },
  ]);
}

/** Places at which a trap of this number has not been sprung. */
function missed(hits: Hits, hit: number): readonly string[] {
  return failpointNames
    .flatMap((point) => [`before ${point}`, `after ${point}`])
    .filter((place) => (hits[place] ?? 0) < hit);
}

describe("a run of fifty tasks passes every arrow of the task protocol", () => {
  const { arm, expectWhole, submit } = useFiftyTaskRun();

  test("and reaches the failpoint at each, on both sides", { timeout: 120_000 }, async () => {
    await arm();
    const runId = await submit("untroubled");
    await expectWhole("untroubled", runId);
    expect(missed(await arm(), 2)).toEqual([]);
  });

  test.each(["delay", "drop"] as const)(
    "[S8] it completes when at each of them something is not heard in time (%s)",
    { timeout: 120_000 },
    async (action) => {
      await arm(...trapsOf(action, 2));
      const runId = await submit(action);
      await expectWhole(action, runId);
      expect(missed(await arm(), 2)).toEqual([]);
    },
  );
});
