import { describe, expect, it } from "vitest";

import type { FeedChannel } from "../feed.ts";
import { contractWallMs } from "./contract-fixtures.ts";
import { ContractRun } from "./contract-run.ts";
import { useStore } from "./store-under-test.ts";
import type { CreateStore } from "./store-under-test.ts";

function arrives(heard: readonly string[], detail: string): Promise<void> {
  return expect.poll(() => heard.includes(detail), { timeout: 10_000 }).toBe(true);
}

/** What any `Feed` that is switched on must do. It is a hint: only that it arrives is promised, not when or how often. */
export function feedContract(createStore: CreateStore): void {
  describe("feed", () => {
    const subject = useStore(createStore);
    const listen = (channel: FeedChannel) => {
      const heard: string[] = [];
      const stop = subject.store.feed.subscribe(channel, (detail) => heard.push(detail));
      return { heard, stop };
    };

    it("tells every subscriber of the channel, and none of another", async () => {
      const one = listen("orders");
      const two = listen("orders");
      const other = listen("inbox");
      await subject.store.feed.publish("orders", "hint-1");
      await arrives(one.heard, "hint-1");
      await arrives(two.heard, "hint-1");
      expect(other.heard).not.toContain("hint-1");
      for (const { stop } of [one, two, other]) stop();
    });

    it("tells nothing after leaving", async () => {
      const gone = listen("orders");
      const control = listen("orders");
      gone.stop();
      await subject.store.feed.publish("orders", "hint-2");
      await arrives(control.heard, "hint-2");
      expect(gone.heard).not.toContain("hint-2");
      control.stop();
    });

    it("does not call a handler inside publish", async () => {
      const { heard, stop } = listen("orders");
      const published = subject.store.feed.publish("orders", "hint-3");
      expect(heard).toEqual([]);
      await published;
      await arrives(heard, "hint-3");
      stop();
    });

    it("hints at the inbox, at a log that grew, and at orders", async () => {
      const channels = { inbox: listen("inbox"), run: listen("run"), orders: listen("orders") };
      const run = await ContractRun.submit(subject.store);
      await run.schedule();
      await arrives(channels.run.heard, run.runId);
      await subject.store.inbox.put(run.runId, { kind: "resume", by: "test" }, contractWallMs);
      await arrives(channels.inbox.heard, run.runId);
      const ordersBefore = channels.orders.heard.length;
      await run.commit({
        cancels: [{ taskId: run.spender().taskId, attempt: 1, reason: "enough" }],
      });
      await expect
        .poll(() => channels.orders.heard.length, { timeout: 10_000 })
        .toBeGreaterThan(ordersBefore);
      for (const { stop } of Object.values(channels)) stop();
    });
  });
}
