import { asTaskId } from "@bridle/protocol";
import type { TaskOutcome } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { ContractRun, contractWallMs, newRunId } from "./contract-run.ts";
import { useStore } from "./store-under-test.ts";
import type { CreateStore } from "./store-under-test.ts";

const a = asTaskId("a");

const failed: TaskOutcome = {
  status: "failed",
  cause: "agent_error",
  message: "It threw.",
  code: "agent_failed",
  retryable: true,
  stop: {
    reason: "agent_error",
    guard: "none",
    rule: "agent",
    evidence: {},
    spent: { tokens: "0", nanoUsd: "0", calls: "0" },
    reserved: { tokens: "0", nanoUsd: "0", calls: "0" },
    limit: { tokens: "0", nanoUsd: "0", calls: "0" },
    resumable: false,
    hint: "Look at the agent.",
  },
};

/** What any `Attempts` must do. */
export function attemptsContract(createStore: CreateStore): void {
  describe("attempts", () => {
    const subject = useStore(createStore);
    const scheduled = async () => {
      const run = await ContractRun.submit(subject.store);
      await run.schedule();
      return run;
    };

    claimContract(scheduled);
    finishContract(scheduled);
    oversightContract(subject, scheduled);
  });
}

type Scheduled = () => Promise<ContractRun>;

function claimContract(scheduled: Scheduled): void {
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

function finishContract(scheduled: Scheduled): void {
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

    it("is refused for an attempt that nobody claimed", async () => {
      const run = await scheduled();
      expect(await run.finish()).toEqual({ accepted: false, reason: "not_claimed" });
    });
  });
}

function ofRun<Item extends { readonly runId: string }>(
  run: ContractRun,
  items: readonly Item[],
): readonly Item[] {
  return items.filter(({ runId }) => runId === run.runId);
}

function oversightContract(subject: ReturnType<typeof useStore>, scheduled: Scheduled): void {
  describe("oversight", () => {
    it("lists attempts that are fenced but unclaimed, once they are old enough", async () => {
      const run = await scheduled();
      const unclaimed = async (olderThan: number) =>
        ofRun(run, await run.store.attempts.unclaimed(olderThan, 1000));
      expect(await unclaimed(contractWallMs)).toEqual([run.spender()]);
      expect(await unclaimed(1)).toEqual([]);
      await run.schedule("a", 2);
      expect(await unclaimed(contractWallMs)).toEqual([run.spender("a", 2)]);
      await run.claim("a", 2);
      expect(await unclaimed(contractWallMs)).toEqual([]);
    });

    it("does not list what is cancelled or over as unclaimed", async () => {
      const cancelled = await scheduled();
      await cancelled.commit({ envelopesClosed: [a] });
      const ended = await scheduled();
      await ended.commit({ events: [ended.finished()], status: "COMPLETED" });
      const unclaimed = await subject.store.attempts.unclaimed(contractWallMs, 1000);
      expect([...ofRun(cancelled, unclaimed), ...ofRun(ended, unclaimed)]).toEqual([]);
    });

    it("lists a claimed attempt as lost when its worker's lease has lapsed, until it is fenced", async () => {
      const run = await scheduled();
      const bootId = `boot-${run.runId}`;
      await subject.store.leases.acquire(`worker:${bootId}`, "worker-1", 300);
      await run.claim("a", 1, bootId);
      const lost = async () => ofRun(run, await subject.store.attempts.lost(1000));
      expect(await lost()).toEqual([]);
      await subject.until(300, async () => (await lost()).length === 1);
      expect(await lost()).toEqual([{ ...run.spender(), workerId: "worker-1", bootId }]);
      await run.schedule("a", 2);
      expect(await lost()).toEqual([]);
    });

    it("does not list a finished attempt as lost", async () => {
      const run = await scheduled();
      await run.claim("a", 1, "boot-without-lease");
      expect(ofRun(run, await subject.store.attempts.lost(1000))).toHaveLength(1);
      await run.finish({ bootId: "boot-without-lease" });
      expect(ofRun(run, await subject.store.attempts.lost(1000))).toEqual([]);
    });

    it("[S7] orders a worker to stop what was cancelled, fenced or is over, until it has finished it", async () => {
      const bootId = `boot-${newRunId()}`;
      const runs = await Promise.all([scheduled(), scheduled(), scheduled(), scheduled()]);
      await Promise.all(runs.map((run) => run.claim("a", 1, bootId)));
      const [cancelled, fenced, ended, untouched] = runs;
      const reason = "no longer needed";
      await cancelled.commit({ cancels: [{ taskId: a, attempt: 1, reason }] });
      await fenced.schedule("a", 2);
      await ended.commit({ events: [ended.finished()], status: "COMPLETED" });
      const orders = await subject.store.attempts.stopOrders(bootId);
      const byRun = (run: ContractRun) => ofRun(run, orders);
      expect(byRun(cancelled)).toEqual([{ ...cancelled.spender(), reason }]);
      expect(byRun(fenced)).toMatchObject([fenced.spender()]);
      expect(byRun(ended)).toMatchObject([ended.spender()]);
      expect(byRun(untouched)).toEqual([]);
      await cancelled.finish({ bootId });
      expect(ofRun(cancelled, await subject.store.attempts.stopOrders(bootId))).toEqual([]);
    });
  });
}
