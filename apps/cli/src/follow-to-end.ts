/**
 * Follows a run on the terminal to its end and says how it went.
 *
 * B187, in one place. First Ctrl-C: says what becomes of the run (cancelled, or left running), then waits for its end or
 * leaves. Second Ctrl-C: ends this process at once. Both leave with 130; in no case is it unclear whether the run goes on.
 */
import type { Client } from "@bridle/client";
import { CodedError } from "@bridle/kernel";
import { systemClock } from "@bridle/kernel/system";
import type { RunView } from "@bridle/protocol";

import { exitCodeOfRun, exitCodes } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { showProgress } from "./progress/show-progress.ts";
import type { ProgressView } from "./progress/show-progress.ts";
import { printRun } from "./text/print-run.ts";

export interface FollowToEnd {
  readonly client: Client;
  readonly runId: string;
  readonly io: Io;
  readonly format: "text" | "json";
  /** `cancel`: this command started the run. `detach`: it only looks on. */
  readonly onInterrupt: "cancel" | "detach";
}

/** Resolves with the exit code. Rejects with `server_unreachable` when the server does not come back. */
export async function followToEnd(options: FollowToEnd): Promise<number> {
  const { client, runId, io, format } = options;
  const view = format === "json" ? silentView : showProgress(io, systemClock);
  const leaving = new AbortController();
  let interrupts = 0;
  const unlisten = io.onInterrupt(() => {
    interrupts += 1;
    if (interrupts > 1) io.exitNow(exitCodes.interrupted);
    else interrupt(options, view, leaving);
  });
  try {
    await follow(options, view, leaving.signal);
  } finally {
    unlisten();
    view.stop();
  }
  if (leaving.signal.aborted) return exitCodes.interrupted;
  const run = await client.get(runId);
  printRun(run, io, format);
  return interrupts > 0 ? exitCodes.interrupted : exitCodeOfRun(run);
}

const silentView: ProgressView = {
  take: () => undefined,
  say: () => undefined,
  stop: () => undefined,
};

async function follow(
  { client, runId, io }: FollowToEnd,
  view: ProgressView,
  signal: AbortSignal,
): Promise<void> {
  // Lines tell the whole story; a table begins with where things stand.
  const afterSeq = io.isTerminal ? undefined : 0;
  const messages = client.follow(runId, {
    signal,
    afterSeq,
    onBreak: () => view.say("The connection to the server broke; trying again."),
  });
  try {
    for await (const message of messages) {
      view.take(message);
      if (waitsForPerson(message.event, message.data)) return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A run that a guard paused goes on only when somebody decides so: following it would hang. */
function waitsForPerson(event: string, data: Readonly<Record<string, unknown>>): boolean {
  if (event === "run.snapshot") {
    const { status, stop } = data as unknown as RunView;
    return status === "PAUSED" && stop !== undefined;
  }
  return event === "run.paused" && data["stop"] !== undefined;
}

function interrupt(
  { client, runId, onInterrupt, io }: FollowToEnd,
  view: ProgressView,
  leaving: AbortController,
): void {
  if (onInterrupt === "detach") {
    view.say(`Left ${runId}: it goes on. Stop it with \`bridle runs cancel ${runId}\`.`);
    leaving.abort();
    return;
  }
  io.err(`\nCancelling ${runId}; waiting for its tasks to stop. Ctrl-C again leaves at once.\n`);
  client.cancel(runId, "interrupted at the terminal").catch((error: unknown) => {
    // It ended meanwhile: its end is on the way.
    if (CodedError.is(error) && error.code === "run_already_ended") return;
    const reason = error instanceof Error ? error.message : String(error);
    view.say(`${runId} could not be cancelled and goes on: ${reason}`);
    leaving.abort();
  });
}
