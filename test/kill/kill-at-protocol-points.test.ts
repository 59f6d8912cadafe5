import { describe, test } from "vitest";

import { failpointNames } from "../support/with-failpoints.ts";
import { useFiftyTaskRun } from "./fifty-task-run.ts";
import type { Trap } from "./trap.ts";

describe("[S8] killed with -9 in the middle of a run of fifty tasks, and started again", () => {
  const { arm, expectWhole, restart, submit } = useFiftyTaskRun();
  const traps: readonly Trap[] = failpointNames.flatMap((point) => [
    { point, when: "before", hit: 2, action: "crash" },
    { point, when: "after", hit: 2, action: "crash" },
  ]);

  test.each(traps)(
    "[B146] it completes when it died $when $point",
    { timeout: 120_000 },
    async (trap) => {
      await arm(trap);
      const run = `${trap.point}-${trap.when}`;
      const runId = await submit(run);
      await restart();
      await expectWhole(run, runId);
    },
  );
});
