import { defineAgent } from "@bridle/agent";
import { asRunId } from "@bridle/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openWorld } from "../support/bridle-world.ts";
import type { ApiEvent, BridleWorld } from "../support/bridle-world.ts";

/*
 * A tenth of the size that LF-5 names, on the real store: what it allows each item, and a tenth of what it allows the whole.
 * The whole at full size is the benchmark's.
 */

const items = 1000;
const outputBytes = 20_000;

const megabyte = 1_048_576;

const wide = defineAgent<{ readonly n: number }, { readonly n: number; readonly text: string }>({
  name: "wide",
  module: import.meta.url,
  isolation: "inline",
  trusted: true,
  concurrency: 16,
  run: (_context, { n }) => ({ n, text: "x".repeat(outputBytes) }),
});

const workflow = {
  name: "wide",
  tasks: [
    {
      id: "each",
      agent: "wide",
      forEach: { items: "${{ input.numbers }}", maxItems: items },
      input: { n: "${{ item }}" },
      concurrency: { limit: 16 },
    },
  ],
};

const decisionTypes = new Set(["task.scheduled", "task.completed", "task.failed", "task.retrying"]);
const bytesOf = (event: ApiEvent): number => Buffer.byteLength(JSON.stringify(event));

let world: BridleWorld;
let log: readonly ApiEvent[];
let runId: string;

beforeAll(async () => {
  world = await openWorld({ agents: [wide] });
  runId = await world.submit(workflow, {
    numbers: Array.from({ length: items }, (_, index) => index),
  });
  await world.ended(runId);
  log = await world.log(runId);
}, 120_000);
afterAll(async () => world.close());

describe(`a fan-out of ${items} items with outputs of ${outputBytes} bytes`, () => {
  const ofItems = (): readonly ApiEvent[] =>
    log.filter(({ taskId }) => typeof taskId === "string" && taskId.startsWith("each["));

  test("[LF-5] completes, each item once, outputs in the order of the list", async () => {
    expect((await world.client.get(runId)).status).toBe("COMPLETED");
    const completed = ofItems().filter(({ type }) => type === "task.completed");
    expect(new Set(completed.map(({ taskId }) => taskId)).size).toBe(items);
    expect(completed).toHaveLength(items);
    const { runs } = world.installation.store;
    const last = await runs.output(asRunId(runId), `each[${items - 1}]` as never);
    expect(JSON.parse(last ?? "null")).toMatchObject({ n: items - 1 });
  });

  test("[LF-5] writes at most three decisions of 512 bytes for each item", () => {
    const decisions = ofItems().filter(({ type }) => decisionTypes.has(type));
    const perItem = new Map<unknown, number>();
    for (const { taskId } of decisions) perItem.set(taskId, (perItem.get(taskId) ?? 0) + 1);
    expect(perItem.size).toBe(items);
    expect(Math.max(...perItem.values())).toBeLessThanOrEqual(3);
    expect(Math.max(...decisions.map(bytesOf))).toBeLessThanOrEqual(512);
  });

  test("[LF-5] keeps outputs out of the log: ten such runs are less than 20 MB of it, journal included", () => {
    const bytes = log.reduce((sum, event) => sum + bytesOf(event), 0);
    // The control: the outputs alone are more than that.
    expect(10 * items * outputBytes).toBeGreaterThan(20 * megabyte);
    expect(10 * bytes).toBeLessThan(20 * megabyte);
  });

  test("[LF-5] never has more than twice its concurrency on the way", () => {
    let onTheWay = 0;
    let highest = 0;
    for (const { type } of ofItems()) {
      if (type === "task.scheduled") onTheWay += 1;
      if (type === "task.completed") onTheWay -= 1;
      highest = Math.max(highest, onTheWay);
    }
    expect(highest).toBeGreaterThan(1);
    expect(highest).toBeLessThanOrEqual(2 * 16);
  });
});
