import { SimulatedClock } from "@bridle/kernel/testing";
import type { FromIsolate } from "@bridle/protocol";
import { expect, it } from "vitest";

import { InlineIsolate } from "../src/isolates/inline-isolate.ts";
import { inlineAgent } from "./virtual-rig.ts";

/** Longer than any chain of promises here. */
async function promisesDrained(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) {
    // oxlint-disable-next-line no-await-in-loop -- one microtask after the other
    await Promise.resolve();
  }
}

it("an inline task rests in the turn in which it ends: nothing in a shared process could be seen to close", async () => {
  const heard: FromIsolate[] = [];
  const isolate = new InlineIsolate({
    agent: inlineAgent("quick", async () => 1),
    clock: new SimulatedClock(),
    onAbandoned: () => {},
  });
  isolate.listen({
    onMessage: (message) => heard.push(message),
    onLine: () => {},
    onEnd: () => {},
  });
  const spender = { runId: "run_1", taskId: "t", attempt: 1 };
  const task = { ...spender, traceId: "a".repeat(32), idempotencyKey: "run_1/t" };
  isolate.send({ type: "start", token: "task_1", task, input: { text: "null" } });
  await promisesDrained();
  expect(heard.map(({ type }) => type)).toEqual(["result", "rested"]);
  expect(heard.at(-1)).toMatchObject({ dirty: false });
});
