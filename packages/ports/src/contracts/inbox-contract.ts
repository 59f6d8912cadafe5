import { asTaskId } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import type { InboxMessage } from "../inbox.ts";
import { contractWallMs, hostileText } from "./contract-fixtures.ts";
import { ContractRun } from "./contract-run.ts";
import { useStore } from "./store-under-test.ts";
import type { CreateStore } from "./store-under-test.ts";

const a = asTaskId("a");

/** What any `Inbox` must do. */
export function inboxContract(createStore: CreateStore): void {
  describe("inbox", () => {
    const subject = useStore(createStore);

    it("gives messages in the order they came, as often as asked, until they are discarded", async () => {
      const run = await ContractRun.submit(subject.store);
      const messages: InboxMessage[] = [
        { kind: "pause", reason: hostileText, by: "test" },
        { kind: "resume", by: "test" },
        { kind: "cancel", taskId: a, reason: "enough", by: "test" },
      ];
      for (const message of messages) {
        // oxlint-disable-next-line no-await-in-loop -- their order is what is tested
        await subject.store.inbox.put(run.runId, message, contractWallMs);
      }
      expect((await run.inbox()).map(({ message }) => message)).toEqual(messages);
      const [first, ...others] = await run.inbox();
      await subject.store.inbox.discard([first?.id ?? "", "no-such-entry"]);
      expect(await run.inbox()).toEqual(others);
    });

    it("bounds what is read", async () => {
      const run = await ContractRun.submit(subject.store);
      await subject.store.inbox.put(run.runId, { kind: "resume", by: "1" }, contractWallMs);
      await subject.store.inbox.put(run.runId, { kind: "resume", by: "2" }, contractWallMs);
      expect(await subject.store.inbox.read(1)).toHaveLength(1);
    });

    it("[BU-6] closes the envelope of what is cancelled in the same step", async () => {
      const run = await ContractRun.submit(subject.store);
      await run.schedule("a");
      await run.schedule("b");
      const cancel = { kind: "cancel" as const, reason: "enough", by: "test" };
      await subject.store.inbox.put(run.runId, { ...cancel, taskId: a }, contractWallMs);
      expect(await run.reserve("a", 1)).toMatchObject({ refusal: "closed", envelope: "a" });
      expect(await run.reserve("b", 1, run.spender("b"))).toMatchObject({ admitted: true });
      await subject.store.inbox.put(run.runId, cancel, contractWallMs);
      const refused = await run.reserve("c", 1, run.spender("b"));
      expect(refused).toMatchObject({ refusal: "closed", envelope: "run" });
      expect((await run.logTypes()).filter((type) => type === "budget.closed")).toHaveLength(2);
    });

    it("[BU-6] stops a call that was reserved before the cancel and has not left", async () => {
      const run = await ContractRun.submit(subject.store);
      await run.schedule();
      await run.reserve("unsent", 5);
      const cancel = { kind: "cancel" as const, reason: "enough", by: "test" };
      await subject.store.inbox.put(run.runId, cancel, contractWallMs);
      expect(await run.dispatch("unsent")).toBe(false);
      expect(await run.release("unsent")).toEqual({ end: "released" });
      expect(await run.figures()).toEqual([0, 0]);
    });
  });
}
