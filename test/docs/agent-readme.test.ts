import { readFileSync } from "node:fs";

import { defineAgent } from "@bridle/agent";
import type { AnyAgent } from "@bridle/agent";
import { expect, it } from "vitest";

import { createVirtualRig } from "../../packages/runner/test/virtual-rig.ts";
import { researcher } from "./readme-examples/agent.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

// The rig is what `packages/runner/README.md` shows, with memory adapters.
it("the agent of the README runs, and its price is paid", async () => {
  expect(read("../../packages/agent/README.md")).toContain(
    read("./readme-examples/agent.ts").trim(),
  );
  const inline = defineAgent({ ...researcher, isolation: "inline", trusted: true }) as AnyAgent;
  const rig = await createVirtualRig({ agents: [inline] });
  const task = await rig.runToEnd({ agent: "researcher", input: { topic: "bridles" } });
  expect(await rig.output(task)).toEqual({
    summary: 'echo: Summarise: ["bridles, page 1 (found with a key of 19 letters)"]',
  });
  expect(await rig.envelope(task)).toMatchObject({
    settled: { nanoUsd: 5_000_600, calls: 2 },
    reserved: { nanoUsd: 0, calls: 0 },
  });
  await rig.runner.stop(0);
  rig.breakers.close();
});
