import type { BridleEvent } from "@bridle/protocol";
import { runIdSchema, taskIdSchema } from "@bridle/protocol";
import { expect, it } from "vitest";

import { countStopTimes, stopBucketsMs } from "../src/index.ts";

function source() {
  let handler: ((event: BridleEvent) => void) | undefined;
  return {
    onAny: (next: (event: BridleEvent) => void) => {
      handler = next;
      return () => void (handler = undefined);
    },
    stop: (isolation: string, timeToStopMs: number, forced = false) =>
      handler?.({
        type: "task.stopped",
        at: 0,
        runId: runIdSchema.parse("run_1"),
        taskId: taskIdSchema.parse("a"),
        attempt: 1,
        isolation,
        cause: "cancelled",
        forced,
        timeToStopMs,
        left: 0,
      }),
  };
}

it("[WD-13] times to stop are counted per isolation, cumulative, with how many were forced", () => {
  const bus = source();
  const times = countStopTimes(bus);
  bus.stop("process", 7);
  bus.stop("process", 5003, true);
  bus.stop("thread", 50);
  const [process, thread] = times.select();
  expect(process).toMatchObject({ isolation: "process", count: 2, forced: 1, sumMs: 5010 });
  const upTo = (ms: number) => process?.buckets[stopBucketsMs.indexOf(ms)];
  expect([upTo(10), upTo(5000), upTo(5500), upTo(60_000)]).toEqual([1, 1, 2, 2]);
  expect(thread?.buckets.slice(0, 3)).toEqual([0, 1, 1]);
});

it("labels stay bounded, and a closed counter counts nothing", () => {
  const bus = source();
  const times = countStopTimes(bus);
  for (let index = 0; index < 100; index++) bus.stop(`made up ${index}`, 1);
  times.close();
  bus.stop("inline", 1);
  expect(times.select()).toMatchObject([{ isolation: "other", count: 100 }]);
});
