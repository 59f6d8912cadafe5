import { defineAgent, isAgentDefinition } from "@bridle/agent";
import type { AnyAgent, Isolation } from "@bridle/agent";
import { describe, expect, it } from "vitest";

import { answerAtOnce } from "../../packages/runner/test/rig.ts";
import { until } from "../support/until.ts";
import { alive, cast, createProcessRig, ended, pidOf, tokenOf } from "./process-rig.ts";

const exported: readonly unknown[] = Object.values((await import(cast)) as object);

function exportedAgent(name: string): AnyAgent {
  const found = exported.filter(isAgentDefinition).find((agent) => agent.name === name);
  if (found === undefined) throw new Error(`The cast has no "${name}".`);
  return found;
}

const trustedAgent =
  (isolation: Isolation) =>
  (name: string): AnyAgent =>
    defineAgent<never>({ ...exportedAgent(name), isolation, trusted: true });

/** An agent must not be able to tell where it runs: the same code, the same values, the same ends. */
describe.each([
  ["process", exportedAgent, false],
  // Where there can be none it is the same as the one above.
  ["process, in a PID namespace", exportedAgent, true],
  ["thread", trustedAgent("thread"), false],
  ["inline", trustedAgent("inline"), false],
] as const)("[X2] in isolation %s", (_, agentOf, pidNamespace) => {
  const start = async (name: string) =>
    createProcessRig([], {
      agents: [agentOf(name)],
      model: answerAtOnce,
      settings: { isolates: { pidNamespace } },
    });

  it.each([
    ["echo", { a: [1, null, "😀"] }, { echo: { a: [1, null, "😀"] } }],
    ["asks", null, { text: "echo: hello", streamed: "echo: hello" }],
    ["takes-big-input", { text: "y".repeat(300_000) }, 300_000],
    ["counts-steps", null, [1, 2, 3]],
    ["calls-tool", { n: 4 }, { doubled: 8 }],
    ["returns-date", null, "2026-01-01T00:00:00.000Z"],
  ])("%s answers the same", async (name, input, output) => {
    const rig = await start(name);
    const task = await rig.dispatch({ agent: name, input });
    expect(await ended(rig, task)).toMatchObject({ status: "completed" });
    expect(await rig.output(task)).toEqual(output);
  });

  it.each([
    ["returns-cycle", null, { cause: "output_invalid", code: "output_invalid" }],
    ["big-output", { megabytes: 20 }, { cause: "limit", code: "output_too_large" }],
    ["throws-coded", null, { cause: "agent_error", code: "TEAPOT", retryable: false }],
    ["throws-text", null, { cause: "agent_error", code: "agent_failed" }],
    ["calls-tool", { n: "four" }, { cause: "agent_error", code: "tool_arguments_invalid" }],
  ])("%s fails the same", async (name, input, outcome) => {
    const rig = await start(name);
    const task = await rig.dispatch({ agent: name, input });
    expect(await ended(rig, task)).toMatchObject({ status: "failed", ...outcome });
  });

  it("a cancel reaches signal and onCancel with its reason, and both may end by themselves", async () => {
    const rig = await start("ends-politely");
    const task = await rig.dispatch({ agent: "ends-politely" });
    await pidOrRunning(rig, task);
    await rig.cancel(task);
    expect(await ended(rig, task)).toMatchObject({ cause: "cancelled" });
    const said = rig.lines.map(({ message }) => message);
    expect(said).toContain("onCancel: cancelled");
    expect((await rig.log(task)).map(({ type }) => type)).not.toContain("task.killed");
  });
});

async function pidOrRunning(
  rig: Awaited<ReturnType<typeof createProcessRig>>,
  task: Parameters<typeof pidOf>[1],
): Promise<void> {
  await until(() =>
    rig.lines.some(({ runId, message }) => runId === task.runId && message === "running"),
  );
}

it("[B113] a process that becomes ready after its task was cancelled is ended, not used", async () => {
  const rig = await createProcessRig(["spins"]);
  const task = await rig.dispatch({ agent: "spins" });
  await rig.cancel(task);
  expect(await ended(rig, task)).toMatchObject({ cause: "cancelled" });
  expect((await rig.log(task)).map(({ type }) => type)).not.toContain("task.started");
  // The control: had it been started, it would have a process with a token by now.
  const other = await rig.dispatch({ agent: "spins" });
  expect(alive(tokenOf(await pidOf(rig, other)))).not.toEqual([]);
});
