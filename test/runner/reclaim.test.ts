import { execFileSync } from "node:child_process";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type { Rig, RunningTask } from "../../packages/runner/test/rig.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import {
  alive,
  castAgent,
  createProcessRig,
  ended,
  isAlive,
  pidOf,
  tokenOf,
} from "./process-rig.ts";

const stubborn = new URL("./agents/stubborn.js", import.meta.url).href;
const settings = { cancelGraceMs: 200, pollMs: 100 };

async function said(rig: Rig, { runId }: RunningTask, text: string): Promise<void> {
  await until(() => rig.lines.some((line) => line.runId === runId && line.message === text));
}

interface Scene {
  readonly agent: string;
  /** What it has come to, besides its process and the lifeline. */
  readonly programs: number;
}

describe("an agent that cannot be ended by asking", () => {
  it.each<Scene>([
    { agent: "stops-itself", programs: 0 },
    { agent: "stops-its-group", programs: 0 },
    { agent: "waits-for-memory", programs: 0 },
    { agent: "waits-for-program", programs: 2 },
    { agent: "hashes", programs: 0 },
    { agent: "opens-pipe", programs: 0 },
    { agent: "leaves-three", programs: 6 },
    { agent: "hops", programs: 1 },
  ])(
    "[X3] [WD-15] [B110] $agent: in hand until nothing of it is alive, while its neighbour finishes",
    async ({ agent, programs }) => {
      const path = join(await temporaryFolder(), "pipe");
      execFileSync("mkfifo", [path]);
      const agents = [castAgent(agent, stubborn), castAgent("slow-echo")];
      const rig = await createProcessRig([], { agents, settings });
      const neighbour = await rig.dispatch({ agent: "slow-echo", input: { ms: 1000 } });
      const task = await rig.dispatch({ agent, input: { path } });
      const pid = await pidOf(rig, task);
      const token = tokenOf(pid);
      await said(rig, task, "going");
      // The control: it is there, with the lifeline and all that it has started.
      await until(() => alive(token).length >= 2 + programs);
      await rig.cancel(task);
      const outcome = await ended(rig, task);
      expect([alive(token), isAlive(pid)]).toEqual([[], false]);
      expect(outcome).toMatchObject({ cause: "cancelled" });
      expect((await rig.log(task)).at(-1)).toMatchObject({
        type: "task.stopped",
        isolation: "process",
        forced: true,
        left: 0,
      });
      expect(await ended(rig, neighbour)).toMatchObject({ status: "completed" });
      // Nor did anything come back in the meantime.
      expect(alive(token)).toEqual([]);
    },
  );
});
