import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startFakeProvider } from "@bridle/fake-agents/fake-llm";
import type { FakeProvider } from "@bridle/fake-agents/fake-llm";
import { afterAll, beforeAll, expect } from "vitest";

import { fetchLedger, ledgerFaults } from "../support/audit-ledger.ts";
import { until } from "../support/until.ts";
import { KillableProcess } from "./killable-process.ts";
import type { Hits, Trap } from "./trap.ts";

/*
 * A process that is killed with -9 in the middle of a run of fifty tasks; then a new one starts on the same folder, and the
 * run must complete as if nothing had happened.
 */

const slots = 8;
const tasks = [
  { id: "first", agent: "caller", input: { prompt: "${{ input.run }} first" } },
  ...Array.from({ length: 48 }, (_, index) => ({
    id: `middle${index}`,
    agent: "caller",
    dependsOn: ["first"],
    input: { prompt: `\${{ input.run }} middle${index}` },
  })),
  {
    id: "last",
    agent: "caller",
    dependsOn: Array.from({ length: 48 }, (_, index) => `middle${index}`),
    input: { prompt: "${{ input.run }} last" },
  },
];
const spec = { name: "fifty", tasks, output: "${{ tasks.last.output.text }}" };

let folder: string;
let provider: FakeProvider;
let running: KillableProcess;

async function submit(run: string): Promise<string> {
  provider.reset();
  return (await running.client.submit(spec, { run })).runId;
}

async function restart(): Promise<void> {
  expect(await running.died).toBe("SIGKILL");
  running = await KillableProcess.start(join(folder, "data"), provider.url);
}

/** What the provider saw of one run, by its own count. */
function asked(run: string): Readonly<Record<string, number>> {
  const calls: Record<string, number> = {};
  for (const { messages } of provider.requests()) {
    const prompt = messages.at(-1)?.content ?? "";
    if (!prompt.startsWith(`${run} `))
      throw new Error(`The provider was asked for another run: ${prompt}`);
    calls[prompt] = (calls[prompt] ?? 0) + 1;
  }
  return calls;
}

/** The run completes once, each task with one accepted result; every paid call is booked and nothing stays held. */
async function expectWhole(run: string, runId: string): Promise<void> {
  await until(async () => (await running.client.get(runId)).finishedAt !== undefined);
  await until(async () =>
    (await running.client.budgets(runId)).envelopes.every(
      ({ reserved }) => reserved.tokens === "0",
    ),
  );
  const view = await running.client.get(runId);
  expect(view.status).toBe("COMPLETED");
  expect(view.output).toContain(run);
  const { events } = await running.client.events(runId, { limit: 1000 });
  const completed = events.flatMap((event) =>
    event.type === "task.completed" ? [String(event["taskId"])] : [],
  );
  expect(completed.toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
  expect(events.filter(({ type }) => type === "run.finished")).toHaveLength(1);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expectPaid(run, view);
  const ledger = await fetchLedger(running.client, runId);
  expect(ledgerFaults({ ...ledger, counted: provider.counters() })).toEqual([]);
}

function expectPaid(run: string, view: Awaited<ReturnType<typeof running.client.get>>): void {
  const calls = asked(run);
  const count = Object.values(calls).reduce((sum, times) => sum + times, 0);
  expect(Object.keys(calls)).toHaveLength(50);
  // Only what was in a worker's hands when it died may have been asked twice.
  expect(Math.max(...Object.values(calls))).toBeLessThanOrEqual(2);
  expect(count).toBeLessThanOrEqual(50 + slots);
  const { promptTokens, completionTokens } = provider.counters();
  const settled = view.budget?.settled;
  expect(Number(settled?.calls)).toBeGreaterThanOrEqual(count);
  expect(Number(settled?.calls)).toBeLessThanOrEqual(50 + slots);
  expect(Number(settled?.tokens)).toBeGreaterThanOrEqual(promptTokens + completionTokens);
}

export interface FiftyTaskRun {
  /** Starts a run under that name; its id. */
  readonly submit: (run: string) => Promise<string>;
  /** Sets traps in place of all others; how often each place was hit since the last call. */
  readonly arm: (...traps: readonly Trap[]) => Promise<Hits>;
  readonly kill: () => void;
  /** Waits for the process's death by SIGKILL and starts another on the same folder. */
  readonly restart: () => Promise<void>;
  readonly expectWhole: (run: string, runId: string) => Promise<void>;
}

/** One process after another on one folder, for the tests of one file. */
const fiftyTaskRun: FiftyTaskRun = {
  submit,
  restart,
  expectWhole,
  arm: async (...traps) => running.arm(...traps),
  kill: () => running.kill(),
};

/** Registers the start and the end of the first process. */
export function useFiftyTaskRun(): FiftyTaskRun {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "bridle-kill-"));
    // Every sixth call is slow enough for its task's log to be written before its end.
    provider = await startFakeProvider({
      script: ({ index }) => ({ type: "answer", delayMs: index % 6 === 0 ? 15 : 2 }),
    });
    running = await KillableProcess.start(join(folder, "data"), provider.url);
  });

  afterAll(async () => {
    await running.stop();
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  });
  return fiftyTaskRun;
}
