/** How the first check of the store must refuse somebody who is behind the times, as its contract says; judged before it is asked. */
import type { Claim, DecisionCommit } from "@bridle/ports";
import type { MemoryState } from "@bridle/ports/testing";
import type { Spender } from "@bridle/protocol";

import type { Refusal } from "../invariants/observation.ts";

/** The lease first, then the version. */
export function dueOfCommit(state: MemoryState, commit: DecisionCommit): Refusal | undefined {
  const run = state.runs.get(commit.runId);
  if (run === undefined) return undefined;
  const lease = state.leases.get(commit.lease.name);
  if (lease?.holder === undefined || lease.epoch !== commit.lease.epoch) return "lease";
  return run.decisions === commit.expectedDecisions && !run.ended ? undefined : "version";
}

/** Exactly at the fence, whether or not somebody has claimed it before. */
export function dueOfClaim(state: MemoryState, claim: Claim): Refusal | undefined {
  const fence = fenceOf(state, claim);
  return fence > 0 && fence !== claim.attempt ? "fenced" : undefined;
}

export function dueOfSpender(state: MemoryState, spender: Spender): Refusal | undefined {
  return spender.attempt < fenceOf(state, spender) ? "fenced" : undefined;
}

function fenceOf(state: MemoryState, { runId, taskId }: Spender): number {
  return state.runs.get(runId)?.tasks.get(taskId)?.fence ?? 0;
}
