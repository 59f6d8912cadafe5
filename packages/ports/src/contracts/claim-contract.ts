import { asTaskId } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { contractWallMs, failed, newRunId } from "./contract-fixtures.ts";
import type { ScheduledRun } from "./contract-run.ts";

const a = asTaskId("a");

/** Who gets an attempt. */
export function claimContract(scheduled: ScheduledRun): void {
  describe("claim", () => {
    it("gives the first claimer the stored envelope, the trace and the grace used so far", async () => {
      const run = await scheduled();
      expect(await run.claim()).toEqual({
        claimed: true,
        envelope: '{"input":"a"}',
        traceId: `trace-${run.runId}`,
        graceUsedMs: 0,
      });
      await run.finish({ outcome: failed, output: undefined, graceUsedMs: 1234 });
      await run.schedule("a", 2);
      expect(await run.claim("a", 2)).toMatchObject({ claimed: true, graceUsedMs: 1234 });
    });

    it("[S8] is given once, whoever asks and however many ask at once", async () => {
      const run = await scheduled();
      const claims = Array.from({ length: 16 }, (_, index) =>
        run.claim("a", 1, `boot-${index % 4}`),
      );
      const answers = await Promise.all(claims);
      expect(answers.filter(({ claimed }) => claimed)).toHaveLength(1);
      const refused = answers.filter(({ claimed }) => !claimed);
      expect(refused).toEqual(refused.map(() => ({ claimed: false, reason: "already_claimed" })));
    });

    it("stands in the run's log from the moment it is given, and a refused one does not", async () => {
      const run = await scheduled();
      await run.claim();
      await run.claim();
      const { runId, taskId, attempt } = run.spender();
      const log = await run.store.runs.read(runId, { afterSeq: 0, limit: 100 });
      const claims = log.filter(({ type }) => type === "task.claimed");
      expect(claims).toMatchObject([{ runId, taskId, attempt, traceId: `trace-${runId}` }]);
    });

    it("is given exactly at the fence, which never falls", async () => {
      const run = await scheduled();
      await run.schedule("a", 3);
      await run.store.attempts.raiseFences(run.runId, [{ taskId: a, attempt: 2 }]);
      expect(await run.claim("a", 2)).toEqual({ claimed: false, reason: "fenced" });
      expect(await run.claim("a", 4)).toEqual({ claimed: false, reason: "fenced" });
      expect(await run.claim("a", 3)).toMatchObject({ claimed: true });
    });

    it("knows no task that was never scheduled", async () => {
      const run = await scheduled();
      const unknown = { claimed: false, reason: "unknown_task" };
      expect(await run.claim("other")).toEqual(unknown);
      const claim = { ...run.spender(), runId: newRunId(), workerId: "w", bootId: "b", at: 1 };
      expect(await run.store.attempts.claim(claim)).toEqual(unknown);
    });

    it.each([
      ["its task", a],
      ["its run", undefined],
    ])("[S7] is refused as soon as %s was asked to cancel", async (_, taskId) => {
      const run = await scheduled();
      const cancel = { kind: "cancel" as const, taskId, reason: "no longer needed", by: "test" };
      await run.store.inbox.put(run.runId, cancel, contractWallMs);
      expect(await run.claim()).toEqual({ claimed: false, reason: "closed" });
    });

    it("is refused when the run has ended", async () => {
      const run = await scheduled();
      await run.commit({ events: [run.finished()], status: "COMPLETED" });
      expect(await run.claim()).toEqual({ claimed: false, reason: "closed" });
    });
  });
}
