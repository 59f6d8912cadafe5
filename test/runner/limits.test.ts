import { expect, it } from "vitest";

import { castAgent, createProcessRig, ended } from "./process-rig.ts";

const greedy = new URL("./agents/greedy.js", import.meta.url).href;
const mebibyte = 1024 * 1024;

function limited(agent: string, isolates: object) {
  return createProcessRig([], {
    agents: [castAgent(agent, greedy, 1), castAgent("slow-echo")],
    settings: { isolates, cancelGraceMs: 200 },
  });
}

it("[X5] memory that an agent's program takes counts as the agent's: the task is ended, its neighbour finishes", async () => {
  const rig = await limited("starts-hog", { memoryBytes: 250 * mebibyte });
  const neighbour = await rig.dispatch({ agent: "slow-echo", input: { ms: 500 } });
  const outcome = await ended(rig, await rig.dispatch({ agent: "starts-hog" }));
  expect(outcome).toMatchObject({ cause: "child_crashed", retryable: true });
  expect(outcome.status === "failed" && outcome.message).toMatch(/memory; the limit is 262144000/);
  expect(await ended(rig, neighbour)).toMatchObject({ status: "completed" });
});

it.each([
  [100, { code: "EMFILE" }],
  [4096, { opened: 600 }],
])("[X5] with %d open files at most, 600 come to %j", async (openFiles, expected) => {
  const rig = await limited("opens-files", { openFiles });
  const task = await rig.dispatch({ agent: "opens-files", input: { count: 600 } });
  await ended(rig, task);
  const output = (await rig.output(task)) as { readonly opened: number };
  expect(output).toMatchObject(expected);
  expect(output.opened).toBeLessThanOrEqual(openFiles);
});

it.each([
  [100, "a new process"],
  [1, "the same process"],
])(
  "[X2] [X5] after a task that kept %d MiB of 200 the next one gets %s",
  async (megabytes, which) => {
    const rig = await limited("keeps-memory", { memoryBytes: 200 * mebibyte });
    const first = await rig.dispatch({ agent: "keeps-memory", input: { megabytes } });
    await ended(rig, first);
    const second = await rig.dispatch({ agent: "keeps-memory", input: { megabytes: 1 } });
    await ended(rig, second);
    const isSame = (await rig.output(first)) === (await rig.output(second));
    expect(isSame).toBe(which === "the same process");
  },
);
