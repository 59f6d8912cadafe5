import { asTaskId } from "@bridle/protocol";
import type { JournalEvent } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { contractWallMs, failed } from "./contract-fixtures.ts";
import type { ScheduledRun } from "./contract-run.ts";

const a = asTaskId("a");

function lastEntry(run: Awaited<ReturnType<ScheduledRun>>): JournalEvent {
  return {
    type: "task.started",
    ...run.spender(),
    traceId: "trace",
    at: contractWallMs,
    agent: "agent",
    isolation: "inline",
  };
}

/** Whose result counts, and what becomes of its holds. */
export function finishContract(scheduled: ScheduledRun): void {
  const claimed = async () => {
    const run = await scheduled();
    await run.claim();
    return run;
  };

  describe("finish", () => {
    it("stores the output and tells the inbox once, of many finishes at once", async () => {
      const run = await claimed();
      const finishes = Array.from({ length: 16 }, (_, index) => run.finish({ output: `${index}` }));
      const answers = await Promise.all(finishes);
      const winner = answers.findIndex(({ accepted }) => accepted);
      const refused = { accepted: false, reason: "already_finished" };
      expect(answers).toEqual(
        answers.map((_, index) => (index === winner ? { accepted: true } : refused)),
      );
      expect(await run.store.runs.output(run.runId, a)).toBe(`${winner}`);
      expect((await run.inbox()).map(({ message }) => message)).toEqual([
        { kind: "finished", taskId: a, attempt: 1, outcome: expect.objectContaining({}) },
      ]);
    });

    it("carries a failure into the inbox whole, and no output", async () => {
      const run = await claimed();
      await run.finish({ outcome: failed, output: undefined });
      const messages = (await run.inbox()).map(({ message }) => message);
      expect(messages).toEqual([{ kind: "finished", taskId: a, attempt: 1, outcome: failed }]);
      expect(await run.store.runs.output(run.runId, a)).toBeUndefined();
    });

    it("[G7] ends every hold of the attempt: what had left is charged, the rest released", async () => {
      const run = await claimed();
      await run.reserve("sent", 30);
      await run.dispatch("sent");
      await run.reserve("unsent", 40);
      await run.finish();
      expect(await run.figures()).toEqual([30, 0]);
      expect(await run.figures("a")).toEqual([30, 0]);
      expect(await run.store.ledger.openHolds(run.runId)).toEqual([]);
      const sent = (await run.log()).find(({ type }) => type === "budget.settled");
      expect(sent).toMatchObject({ basis: "unknown", holdId: run.holdId("sent") });
      const unsent = (await run.log()).find(({ type }) => type === "budget.released");
      expect(unsent).toMatchObject({ reason: "attempt_ended", holdId: run.holdId("unsent") });
    });

    it("lets the attempt reserve nothing more", async () => {
      const run = await claimed();
      await run.finish();
      expect(await run.reserve("late", 1)).toMatchObject({ admitted: false, refusal: "fenced" });
    });

    it.each([
      ["fenced", { attempt: 1 }],
      ["not_claimed", { attempt: 2, bootId: "boot-9" }],
    ])("refused as %s stores nothing, but still ends that attempt's holds", async (reason, as) => {
      const run = await claimed();
      await run.reserve("one", 10);
      await run.dispatch("one");
      await run.schedule("a", 2);
      await run.claim("a", 2);
      await run.reserve("two", 20, run.spender("a", 2));
      const answer = await run.finish({ ...as, output: '"stale"' });
      expect(answer).toEqual({ accepted: false, reason });
      expect(await run.store.runs.output(run.runId, a)).toBeUndefined();
      expect(await run.inbox()).toEqual([]);
      const open = (await run.store.ledger.openHolds(run.runId)).map(({ holdId }) => holdId);
      expect(open).toEqual([run.holdId(reason === "fenced" ? "two" : "one")]);
    });

    it("puts the attempt's last entries into the log, before its holds end, and once however often it is sent", async () => {
      const run = await claimed();
      await run.reserve("sent", 30);
      await run.dispatch("sent");
      const journal = [lastEntry(run)];
      await Promise.all([run.finish({ journal }), run.finish({ journal })]);
      const types = (await run.log()).map(({ type }) => type);
      expect(types.slice(-2)).toEqual(["task.started", "budget.settled"]);
    });

    it("refused leaves no entry behind", async () => {
      const run = await claimed();
      await run.schedule("a", 2);
      await run.finish({ attempt: 1, journal: [lastEntry(run)] });
      expect((await run.log()).map(({ type }) => type)).not.toContain("task.started");
    });

    it("is refused for an attempt that nobody claimed", async () => {
      const run = await scheduled();
      expect(await run.finish()).toEqual({ accepted: false, reason: "not_claimed" });
    });
  });
}
