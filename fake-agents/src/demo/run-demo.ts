import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { GuardsConfig } from "@bridle/agent";
import { createClient } from "@bridle/client";
import type { Client } from "@bridle/client";
import { openInstallation, readEnvironment } from "@bridle/host";
import { systemClock, systemRandom } from "@bridle/kernel/system";

import { startFakeProvider } from "../fake-llm/index.ts";
import type { FakeCounters, FakeProvider, FakeReply, FakeRequest } from "../fake-llm/index.ts";
import { demoConfig } from "./demo-config.ts";
import { reportRun } from "./demo-report.ts";
import type { RunReport } from "./demo-report.ts";
import { researchWorkflow, troubleWorkflow } from "./workflows.ts";

export interface DemoOptions {
  /** Contract: one line of progress, without a line break. */
  readonly onLine: (line: string) => void;
  /** Shipped defaults unless given. */
  readonly guards?: GuardsConfig | undefined;
  /** After this a run that was not stopped is cancelled, and the report shows it. */
  readonly patienceMs: number;
}

export interface DemoReport {
  readonly url: string;
  readonly research: RunReport;
  readonly trouble: RunReport;
  /** What the provider counted by itself: the report is held against it, never filled from it. */
  readonly provider: FakeCounters;
}

/** The greedy model bills twice what it was asked for; every other model is honest. */
function script(request: FakeRequest): FakeReply {
  if (request.model !== "greedy") return { type: "answer" };
  return {
    type: "answer",
    text: "more ".repeat(2 * (request.maxTokens ?? 100)),
    ignoreMaxTokens: true,
  };
}

/** Both runs on an installation of their own, in a folder that is gone afterwards. */
export async function runDemo(options: DemoOptions): Promise<DemoReport> {
  const folder = await mkdtemp(join(tmpdir(), "bridle-demo-"));
  const provider = await startFakeProvider({ script });
  try {
    return await runWith(options, folder, provider);
  } finally {
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function runWith(
  { onLine, guards, patienceMs }: DemoOptions,
  folder: string,
  provider: FakeProvider,
): Promise<DemoReport> {
  const environment = readEnvironment({
    BRIDLE_STORE_URL: `pglite:${join(folder, "data")}`,
    PORT: "0",
    LOG_LEVEL: "error",
  });
  const installation = await openInstallation({
    environment,
    folder,
    config: demoConfig(provider.url, guards),
    env: {},
  });
  const running = await installation.start(["server", "scheduler", "worker"]);
  try {
    const url = running.url ?? "";
    onLine(`Bridle on ${url}, embedded store, fake model provider on ${provider.url}`);
    const client = createClient({
      url,
      apiKey: installation.localToken,
      fetch,
      clock: systemClock,
      random: systemRandom,
    });
    const startedAt = systemClock.wallMs();
    // Both at once: the watchdog lets a young task be for thirty seconds, and nobody wants to wait for that twice.
    const troubleId = (await client.submit(troubleWorkflow, {})).runId;
    const researchId = (await client.submit(researchWorkflow, { topic: "tidal power" })).runId;
    const options = { onLine, patienceMs, startedAt };
    await Promise.all([
      followRun(client, researchId, { ...options, name: "research" }),
      followRun(client, troubleId, { ...options, name: "trouble" }),
    ]);
    const [research, trouble] = await Promise.all([
      reportRun(client, researchId),
      reportRun(client, troubleId),
    ]);
    return { url, research, trouble, provider: provider.counters() };
  } finally {
    await running.stop();
  }
}

interface FollowOptions {
  readonly name: string;
  readonly onLine: (line: string) => void;
  readonly patienceMs: number;
  /** Wall milliseconds of the first submit: all lines count from there. */
  readonly startedAt: number;
}

/** What a person wants to see go by. */
const shown = new Set([
  "task.completed",
  "task.failed",
  "task.stalled",
  "task.retrying",
  "task.cancelled",
  "budget.overrun",
  "budget.exhausted",
  "run.finished",
]);

async function followRun(client: Client, runId: string, options: FollowOptions): Promise<void> {
  const { onLine, patienceMs } = options;
  const patience = systemClock.setTimer(
    patienceMs,
    () => void client.cancel(runId, "the demo's patience is over").catch(() => undefined),
  );
  try {
    for await (const { event, data } of client.follow(runId, { afterSeq: 0 })) {
      if (shown.has(event)) onLine(progressLine(event, data, options));
    }
  } finally {
    patience.cancel();
  }
}

function progressLine(
  event: string,
  data: Readonly<Record<string, unknown>>,
  { name, startedAt }: FollowOptions,
): string {
  const member = (...names: readonly string[]): string =>
    names.map((key) => data[key]).find((value) => typeof value === "string") ?? "";
  const seconds = ((Number(data["at"]) - startedAt) / 1000).toFixed(1);
  const subject = member("taskId", "envelope", "status");
  return `${seconds.padStart(6)} s  ${name.padEnd(9)} ${event.padEnd(17)} ${subject} ${member("code", "reason")}`.trimEnd();
}
