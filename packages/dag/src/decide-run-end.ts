import type { Stop, TerminalRunStatus } from "@bridle/protocol";

import type { Decision } from "./decision.ts";
import { degradedSoFar } from "./degraded-so-far.ts";
import type { RunInput } from "./run-input.ts";
import { runVerdict } from "./run-verdict.ts";
import { expressionStop } from "./stops.ts";

/** Called when the last task has ended: a completed run with an `output` waits for its evaluation. */
export function endRun(decision: Decision): void {
  const verdict = runVerdict(decision.store);
  if (verdict.status === "COMPLETED" && decision.head.workflow.output !== undefined) {
    decision.command({ type: "evaluate-output" });
    return;
  }
  finish(decision, { ...verdict, hasOutput: false });
}

/** B152: a run whose output cannot be made is FAILED, not COMPLETED without one. */
export function decideOutput(
  decision: Decision,
  result: Extract<RunInput, { type: "output-evaluated" }>["result"],
): void {
  const { head } = decision;
  const awaited = head.open === 0 && head.workflow.output !== undefined;
  if (!awaited || runVerdict(decision.store).status !== "COMPLETED") return;
  if (result.ok) return finish(decision, { status: "COMPLETED", hasOutput: true });
  const stop = expressionStop(result.code, result.message.slice(0, 500));
  finish(decision, { status: "FAILED", stop, hasOutput: false });
}

interface Finish {
  readonly status: TerminalRunStatus;
  readonly stop?: Stop;
  readonly hasOutput: boolean;
}

function finish(decision: Decision, fields: Finish): void {
  const degraded = [...degradedSoFar(decision.store)];
  decision.emit({ type: "run.finished", ...fields, degraded });
  decision.command({ type: "close-envelope", envelope: "run" });
}
