import { defineTool } from "@bridle/agent";
import type { AgentContext, ToolOptions } from "@bridle/agent";
import { afterEach, expect, it } from "vitest";

import { answerAtOnce } from "./rig.ts";
import type { RunningTask } from "./rig.ts";
import { createVirtualRig, inlineAgent } from "./virtual-rig.ts";
import type { VirtualRig } from "./virtual-rig.ts";

let rig: VirtualRig | undefined;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

type Settings = NonNullable<Parameters<typeof createVirtualRig>[0]["settings"]>;

interface Looping {
  readonly calls: number;
  readonly args?: (index: number) => unknown;
  readonly result?: (index: number) => unknown;
  readonly tool?: Partial<ToolOptions<unknown, unknown>>;
  readonly settings?: Settings;
  readonly onCall?: (context: AgentContext, index: number) => Promise<void>;
  /** Whether refusals end the agent. */
  readonly gives?: "up" | "never up";
}

/** An agent that calls one tool again and again, and how it ended. */
async function loop(
  looping: Looping,
): Promise<{ readonly task: RunningTask; readonly made: number }> {
  const { calls, args = () => ({ q: "x" }), result = () => "nothing", onCall } = looping;
  let made = 0;
  const search = defineTool({
    name: "search",
    description: "Searches.",
    run: () => result(made++),
    ...looping.tool,
  });
  const agent = inlineAgent(
    "seeker",
    async (context) => {
      for (let index = 0; index < calls; index++) {
        // oxlint-disable-next-line no-await-in-loop -- the loop is what is tested
        const found = context.tool("search", args(index));
        // oxlint-disable-next-line no-await-in-loop -- see above
        await (looping.gives === "up" ? found : found.catch(() => undefined));
        // oxlint-disable-next-line no-await-in-loop -- see above
        await onCall?.(context, index);
      }
      return "done";
    },
    { tools: { search } },
  );
  rig = await createVirtualRig({
    agents: [agent],
    settings: { graceMs: 0, governorMode: "off", ...looping.settings },
  });
  const task = await rig.runToEnd({ agent: "seeker" });
  return { task, made };
}

async function told(task: RunningTask): Promise<readonly string[]> {
  const log = (await rig?.log(task)) ?? [];
  return log.flatMap((event) =>
    event.type === "task.looping" || event.type === "would_loop"
      ? [`${event.type} ${event.pattern} ${event.reaction} ${event.count}`]
      : [],
  );
}

it("[WD-18] [W9] a task that asks the same for ever is nudged, refused the call, and ends FAILED(loop)", async () => {
  const onCall = async ({ signal }: AgentContext): Promise<void> => signal.throwIfAborted();
  const { task, made } = await loop({ calls: 100, onCall });
  expect(made).toBe(6);
  expect(await told(task)).toEqual([
    "task.looping repeat nudge 4",
    "task.looping repeat block 6",
    "task.looping repeat stop 8",
  ]);
  expect(await rig?.outcome(task)).toMatchObject({
    cause: "loop",
    code: "task_loop",
    retryable: false,
    stop: {
      guard: "watchdog",
      rule: "WD-18",
      evidence: { pattern: "repeat", count: 8, tool: "search" },
    },
  });
});

it("[WD-18] who lets the refusal pass ends as loop, too, and the refused call is no step of the tool's", async () => {
  const { task, made } = await loop({ calls: 100, gives: "up" });
  expect(made).toBe(6);
  expect(await rig?.outcome(task)).toMatchObject({ cause: "loop", code: "loop_blocked" });
  const refused = (await rig?.log(task))?.filter((event) => event.type === "step.finished");
  expect(refused?.at(-1)).toMatchObject({ outcome: "refused", code: "loop_blocked" });
  expect((await rig?.envelope(task))?.settled.calls).toBe(6);
});

it("[WD-18] wordings of one question that bring nothing new: six, nine, twelve", async () => {
  const { task, made } = await loop({ calls: 100, args: (index) => ({ q: `wording ${index}` }) });
  // The first result is news.
  expect(made).toBe(10);
  expect(await told(task)).toEqual([
    "task.looping no_news nudge 6",
    "task.looping no_news block 9",
    "task.looping no_news stop 12",
  ]);
});

it("[WD-18] the agent is told once, in words for its model, and may do something else", async () => {
  const hints: (string | undefined)[] = [];
  let isWarned = false;
  const { task } = await loop({
    calls: 20,
    args: (index) => (isWarned ? { page: index } : { q: "x" }),
    result: (index) => (isWarned ? `page ${index}` : "nothing"),
    onCall: async (context) => {
      const hint = context.loopHint();
      hints.push(hint);
      isWarned ||= hint !== undefined;
    },
  });
  expect(await rig?.output(task)).toBe("done");
  expect(hints.filter((hint) => hint !== undefined)).toEqual([
    'The same call of "search" has brought the same result 4 times in a row. Do something else, or finish with what is there.',
  ]);
});

it("[WD-18] [WD-19] who looks in other places is told of no loop where other words for one place are", async () => {
  const args = (index: number): unknown => ({ pattern: `${index}`, path: `folder ${index >> 1}` });
  const elsewhere = await loop({ calls: 11, args });
  expect([elsewhere.made, await told(elsewhere.task)]).toEqual([11, []]);
  await rig?.runner.stop(0);

  const reworded = await loop({ calls: 11, args: (index) => [args(index)] });
  expect(await told(reworded.task)).toEqual([
    "task.looping no_news nudge 6",
    "task.looping no_news block 9",
  ]);
});

it.each<[string, Looping]>([
  ["a tool declared as polling", { calls: 60, tool: { polling: true } }],
  ["pages one after another", { calls: 60, args: (page) => ({ page }), result: (page) => [page] }],
  ["a poll that changes", { calls: 60, result: (index) => ({ percent: index }) }],
  [
    "writes that each say ok",
    { calls: 60, args: (page) => ({ page }), tool: { sideEffects: true } },
  ],
])("[WD-18] [B097] %s is no loop", async (_, looping) => {
  const { task, made } = await loop(looping);
  expect([made, await rig?.output(task), await told(task)]).toEqual([60, "done", []]);
});

it("[WD-18] arguments are the same in whatever order their members stand", async () => {
  const { task } = await loop({
    calls: 4,
    args: (index) =>
      index % 2 === 0 ? { a: 1, b: { c: [1], d: 2 } } : { b: { d: 2, c: [1] }, a: 1 },
  });
  expect(await told(task)).toEqual(["task.looping repeat nudge 4"]);
});

it("[WD-18] [WD-10] within its grace a loop is only told as would_loop, and judged afresh after it", async () => {
  const { task, made } = await loop({
    calls: 100,
    settings: { graceMs: 60_000 },
    onCall: async (_, index) => {
      if (index === 20) await rig?.clock.advanceAsync(31_000);
    },
  });
  expect(await told(task)).toEqual([
    "task.looping repeat nudge 4",
    "would_loop repeat block 6",
    "would_loop repeat stop 8",
    "task.looping repeat stop 22",
  ]);
  expect(made).toBe(21);
});

it("[WD-18] [GC-4] a watchdog that warns stops nothing, and one that is off says nothing", async () => {
  const warned = await loop({ calls: 20, settings: { watchdogMode: "warn" } });
  expect([warned.made, await told(warned.task)]).toEqual([
    20,
    ["would_loop repeat nudge 4", "would_loop repeat block 6", "would_loop repeat stop 8"],
  ]);
  await rig?.runner.stop(0);
  const off = await loop({ calls: 20, settings: { watchdogMode: "off" } });
  expect([off.made, await told(off.task)]).toEqual([20, []]);
});

it("[WD-18] a conversation in which the model says the same for ever ends; fifty questions answered alike do not", async () => {
  const talks = inlineAgent("talks", async (context, isOne: boolean) => {
    const messages: { role: "user" | "assistant"; content: string }[] = [];
    for (let turn = 0; turn < 50; turn++) {
      messages.push({ role: "user", content: isOne ? "go on" : `item ${turn}` });
      // oxlint-disable-next-line no-await-in-loop -- the loop is what is tested
      const { text } = await context.llm("small", {
        messages: isOne ? messages : messages.slice(-1),
      });
      messages.push({ role: "assistant", content: text });
    }
    return messages.length;
  });
  rig = await createVirtualRig({
    agents: [talks],
    settings: { graceMs: 0, governorMode: "off" },
    model: async (call) => answerAtOnce(call, { text: "yes" }),
  });
  const one = await rig.runToEnd({ agent: "talks", input: true });
  expect(await rig.outcome(one)).toMatchObject({ cause: "loop", code: "task_loop" });
  expect(await told(one)).toEqual([
    "task.looping text nudge 3",
    "task.looping text block 5",
    "task.looping text stop 7",
  ]);
  const many = await rig.runToEnd({ agent: "talks", input: false });
  expect(await rig.output(many)).toBe(100);
});

it("[WD-18] several samples of one question, asked at once, are no loop", async () => {
  const votes = inlineAgent("votes", async (context) => {
    const samples = Array.from({ length: 9 }, async () =>
      context.llm("small", { prompt: "yes or no?" }),
    );
    return (await Promise.all(samples)).length;
  });
  rig = await createVirtualRig({
    agents: [votes],
    settings: { graceMs: 0 },
    model: async (call) => answerAtOnce(call, { text: "yes" }),
  });
  const task = await rig.runToEnd({ agent: "votes" });
  expect([await rig.output(task), await told(task)]).toEqual([9, []]);
});
