import type { Store } from "@bridle/ports";

const page = 200;

/**
 * The embedded store never calls fsync: after a power cut the newest entries may be missing, and with them what was paid
 * or done. So a person decides: every live run is paused with that reason. Returns how many.
 */
export async function pauseAfterPowerLoss(
  store: Pick<Store, "index" | "inbox">,
  at: number,
): Promise<number> {
  const reason = "the machine went down; the last seconds of this run may be lost";
  let count = 0;
  let ids = await store.index.live(page);
  while (ids.length > 0) {
    // oxlint-disable-next-line no-await-in-loop -- page by page
    await Promise.all(
      ids.map(async (runId) =>
        store.inbox.put(runId, { kind: "pause", reason, by: "start-up" }, at),
      ),
    );
    count += ids.length;
    // oxlint-disable-next-line no-await-in-loop -- page by page
    ids = ids.length < page ? [] : await store.index.live(page, ids.at(-1));
  }
  return count;
}
