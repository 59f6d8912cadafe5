import type { RunStatus, RunView } from "@bridle/protocol";
import { bridleError, runStatuses } from "@bridle/protocol";

import { connect } from "../connect.ts";
import type { ConnectionOptions } from "../connect.ts";
import { followToEnd } from "../follow-to-end.ts";
import type { Io } from "../io.ts";
import { renderLine } from "../progress/render-lines.ts";
import { formatTable } from "../text/format.ts";
import { printRun } from "../text/print-run.ts";
import { oneLine, safeJson } from "../text/sanitize.ts";

export interface RunsOptions extends ConnectionOptions {
  readonly output: "text" | "json";
}

export interface ListOptions extends RunsOptions {
  readonly status?: string | undefined;
  readonly workflow?: string | undefined;
  readonly trace?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: string;
}

export async function listRuns(options: ListOptions, io: Io): Promise<number> {
  const client = await connect(options, io);
  const page = await client.list({
    status: statusOf(options.status),
    workflow: options.workflow,
    traceId: options.trace,
    cursor: options.cursor,
    limit: wholeOption("--limit", options.limit, 200),
  });
  if (options.output === "json") {
    io.out(`${safeJson(page, 2)}\n`);
    return 0;
  }
  const rows = page.runs.map(({ runId, workflow, status, createdAt }) => [
    runId,
    status,
    oneLine(workflow),
    new Date(createdAt).toISOString(),
  ]);
  io.out(formatTable([["RUN", "STATUS", "WORKFLOW", "SUBMITTED"], ...rows]));
  if (page.next !== undefined) io.err(`More: --cursor ${page.next}\n`);
  return 0;
}

function statusOf(text: string | undefined): RunStatus | undefined {
  if (text === undefined) return undefined;
  const status = runStatuses.find((name) => name === text.toUpperCase());
  if (status !== undefined) return status;
  throw bridleError("request_invalid", {
    message: `--status ${text}: expected one of ${runStatuses.join(", ")}.`,
  });
}

function wholeOption(name: string, text: string, most: number): number {
  const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1 && value <= most) return value;
  throw bridleError("request_invalid", {
    message: `${name} ${text}: expected a whole number from 1 to ${most}.`,
  });
}

export async function getRun(runId: string, options: RunsOptions, io: Io): Promise<number> {
  const client = await connect(options, io);
  const run = await client.get(runId);
  if (options.output === "text") io.err(taskTable(run));
  printRun(run, io, options.output);
  return 0;
}

function taskTable({ tasks }: RunView): string {
  const rows = tasks.map(({ id, status, agent, attempt, step }) => [
    id,
    status,
    agent,
    String(attempt),
    step === undefined ? "" : String(step),
  ]);
  return formatTable([["TASK", "STATUS", "AGENT", "TRY", "STEP"], ...rows]);
}

export interface EventsOptions extends RunsOptions {
  readonly after: string;
  readonly limit: string;
}

/** Every entry of the log, or as many as asked for: as lines, or one JSON value per line. */
export async function listEvents(runId: string, options: EventsOptions, io: Io): Promise<number> {
  const client = await connect(options, io);
  let afterSeq = options.after === "0" ? 0 : wholeOption("--after", options.after, 1e15);
  let left = wholeOption("--limit", options.limit, 1e9);
  while (left > 0) {
    // oxlint-disable-next-line no-await-in-loop -- page by page
    const page = await client.events(runId, { afterSeq, limit: Math.min(left, 1000) });
    for (const entry of page.events) {
      const line = renderLine({ event: entry.type, data: entry });
      io.out(options.output === "json" ? `${safeJson(entry)}\n` : `${entry.seq} ${line}\n`);
    }
    if (page.next === undefined) return 0;
    afterSeq = page.next;
    left -= page.events.length;
  }
  return 0;
}

export async function followRun(runId: string, options: RunsOptions, io: Io): Promise<number> {
  const client = await connect(options, io);
  const format = options.output;
  return followToEnd({ client, runId, io, format, onInterrupt: "detach" });
}

export interface ControlOptions extends RunsOptions {
  readonly reason?: string | undefined;
  readonly task?: string | undefined;
}

export async function cancelRun(runId: string, options: ControlOptions, io: Io): Promise<number> {
  const client = await connect(options, io);
  const { task, reason } = options;
  const run =
    task === undefined
      ? await client.cancel(runId, reason)
      : await client.cancelTask(runId, task, reason);
  return confirm(
    run,
    task === undefined ? `Cancelling ${runId}.` : `Cancelling ${task}.`,
    options,
    io,
  );
}

export async function pauseRun(runId: string, options: ControlOptions, io: Io): Promise<number> {
  const client = await connect(options, io);
  const run = await client.pause(runId, options.reason);
  return confirm(
    run,
    `Pausing ${runId}: what runs goes on to its end, nothing new starts.`,
    options,
    io,
  );
}

export async function resumeRun(runId: string, options: RunsOptions, io: Io): Promise<number> {
  const client = await connect(options, io);
  return confirm(await client.resume(runId), `Resuming ${runId}.`, options, io);
}

// oxlint-disable-next-line max-params -- the answer, and how to say it
function confirm(run: RunView, sentence: string, { output }: RunsOptions, io: Io): number {
  if (output === "json") io.out(`${safeJson(run, 2)}\n`);
  else io.err(`${sentence}\n`);
  return 0;
}
