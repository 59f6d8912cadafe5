import { bridleError } from "@bridle/protocol";
import type { EndCause, ErrorCode, JournalEvent, Spender } from "@bridle/protocol";
import type { Finding, VerdictKind } from "@bridle/watchdog";

import type { StopRequest } from "./attempt-scope.ts";

type Deadly = Exclude<VerdictKind, "wait_expired">;

const codes: Readonly<Record<Deadly, ErrorCode>> = {
  stalled: "task_stalled",
  step_timeout: "step_timeout",
  task_timeout: "task_timeout",
  wait_cycle: "wait_cycle",
};

export type VerdictAnswer =
  | { readonly kind: "stop"; readonly request: StopRequest }
  /** It would have acted: in its grace, or only warning. */
  | { readonly kind: "note"; readonly event: JournalEvent }
  | { readonly kind: "nothing" };

/** What a verdict of the watchdog asks of the attempt it is about. */
export function stopOfVerdict(finding: Finding, spender: Spender, at: number): VerdictAnswer {
  if (finding.kind === "wait_expired") return { kind: "nothing" };
  const cause: EndCause & Deadly = finding.kind;
  if (finding.would !== undefined) return { kind: "note", event: wouldEvent(finding, spender, at) };
  const { layer, step, repeatBeats } = finding;
  const silentMs = Math.round(finding.silentMs);
  const afterMs = Math.round(finding.afterMs);
  const evidence = { layer, step, repeatBeats, silentMs, afterMs };
  return {
    kind: "stop",
    request: {
      cause,
      error: bridleError(codes[cause], { message: sentence(finding), details: evidence }),
      mark: markEvent(finding, spender, at),
      acceptsResult: true,
      evidence,
    },
  };
}

function isTimeout({ kind }: Finding): boolean {
  return kind === "step_timeout" || kind === "task_timeout";
}

function clockOf({ kind }: Finding): "step" | "task" {
  return kind === "step_timeout" ? "step" : "task";
}

function markEvent(finding: Finding, spender: Spender, at: number): JournalEvent {
  const { layer, step, repeatBeats } = finding;
  if (isTimeout(finding)) {
    const afterMs = Math.round(finding.afterMs);
    return { type: "task.timed_out", ...spender, at, clock: clockOf(finding), layer, afterMs };
  }
  const silentMs = Math.round(finding.silentMs);
  return { type: "task.stalled", ...spender, at, layer, step, repeatBeats, silentMs };
}

function wouldEvent(finding: Finding, spender: Spender, at: number): JournalEvent {
  const { layer } = finding;
  if (isTimeout(finding)) {
    const afterMs = Math.round(finding.afterMs);
    return { type: "would_time_out", ...spender, at, clock: clockOf(finding), layer, afterMs };
  }
  const { step, repeatBeats } = finding;
  return { type: "would_stall", ...spender, at, layer, step, repeatBeats };
}

function sentence(finding: Finding): string {
  const { kind, afterMs, silentMs, repeatBeats, step, layer } = finding;
  switch (kind) {
    case "stalled":
      return `The task sent ${repeatBeats} beats at step ${step} without advancing for ${Math.round(silentMs)} ms.`;
    case "step_timeout":
      return `Step ${step} ran for ${Math.round(afterMs)} ms; the ${layer} is silent.`;
    case "task_timeout":
      return `The attempt ran for ${Math.round(afterMs)} ms, longer than its timeout.`;
    case "wait_cycle":
      return "The task waits for a task that waits for it.";
    case "wait_expired":
      return "The wait is over.";
  }
}
