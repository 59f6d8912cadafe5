import type { EventPage } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { readLog } from "../src/index.ts";

const entryOf = (seq: number) => ({ seq, type: "task.started", at: seq });

/** A server with so many entries, which gives three at a time whatever is asked for. */
function serverWith(entries: number) {
  const asked: number[] = [];
  const events = async (_: string, { afterSeq = 0 } = {}): Promise<EventPage> => {
    asked.push(afterSeq);
    const last = Math.min(entries, afterSeq + 3);
    const page = Array.from({ length: last - afterSeq }, (_each, index) =>
      entryOf(afterSeq + index + 1),
    );
    return last < entries ? { events: page, next: last } : { events: page };
  };
  return { events, asked };
}

describe("the whole log of a run", () => {
  it.each([
    [0, [0]],
    [2, [0]],
    [3, [0]],
    [7, [0, 3, 6]],
  ])("of %i entries is read page after page, once, in order", async (entries, pages) => {
    const server = serverWith(entries);
    const log = await readLog(server, "run_1");
    expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: entries }, (_, at) => at + 1));
    expect(server.asked).toEqual(pages);
  });

  it("is not given in part: a page that cannot be had is told", async () => {
    const { events } = serverWith(7);
    const failing = async (runId: string, page?: { afterSeq?: number }): Promise<EventPage> => {
      if (page?.afterSeq === 3) throw new Error("the server is away");
      return events(runId, page);
    };
    await expect(readLog({ events: failing }, "run_1")).rejects.toThrow("the server is away");
  });
});
