import type { Attempts, StepJournal } from "@bridle/ports";
import type { RunRecord } from "@bridle/ports/testing";
import { jobId } from "@bridle/protocol";
import type { TaskId } from "@bridle/protocol";

import { allOf } from "./all-of.ts";
import { dueOfClaim, dueOfSpender } from "./overdue.ts";
import { whoOf } from "./who-of.ts";
import type { WitnessedOptions } from "./witnessed-store.ts";

export function witnessedAttempts(options: WitnessedOptions): Attempts {
  const { state, witness } = options;
  const { attempts } = options.store;
  return {
    ...allOf(attempts),
    raiseFences: async (runId, fences) => {
      const answering = attempts.raiseFences(runId, fences);
      witness.touched(runId);
      for (const { taskId } of fences) {
        const fence = taskIn(state.runs.get(runId), taskId)?.fence ?? 0;
        witness.see({ type: "fenced", runId, taskId, fence });
      }
      return answering;
    },
    claim: async (claim) => {
      const task = taskIn(state.runs.get(claim.runId), claim.taskId);
      const before = task?.claims.get(claim.attempt);
      const due = dueOfClaim(state, claim);
      const answering = attempts.claim(claim);
      const isNew = task !== undefined && task.claims.get(claim.attempt) !== before;
      if (isNew) witness.see({ type: "claimed", ...whoOf(claim), fence: task.fence });
      witness.touched(claim.runId);
      const answer = await answering;
      const told = answer.claimed ? "claimed" : answer.reason;
      witness.see({ type: "answered", what: `a claim of ${jobId(claim)}`, due, answer: told });
      return answer;
    },
    finish: async (finish) => {
      const due = dueOfSpender(state, finish);
      // Whatever it answers, a result counts when it reaches the inbox.
      const before = state.inbox.size;
      const answering = attempts.finish(finish);
      if (state.inbox.size !== before) {
        const { output, outcome } = finish;
        const retryAfterMs = outcome.status === "failed" ? outcome.retryAfterMs : undefined;
        const outputOf = attemptIn(output);
        witness.see({ type: "finished", ...whoOf(finish), outputOf, retryAfterMs });
      }
      witness.touched(finish.runId);
      const answer = await answering;
      const told = answer.accepted ? "accepted" : answer.reason;
      witness.see({ type: "answered", what: `a finish of ${jobId(finish)}`, due, answer: told });
      return answer;
    },
  };
}

export function witnessedSteps({ store, state, witness }: WitnessedOptions): StepJournal {
  const { steps } = store;
  return {
    ...allOf(steps),
    begin: async (spender, name) => {
      const due = dueOfSpender(state, spender);
      const answer = await steps.begin(spender, name);
      const what = `the beginning of ${name} of ${jobId(spender)}`;
      witness.see({ type: "answered", what, due, answer: answer.state });
      return answer;
    },
  };
}

function taskIn(run: RunRecord | undefined, taskId: TaskId) {
  return run?.tasks.get(taskId);
}

/** Outputs of the cast say which attempt made them. */
function attemptIn(output: string | undefined): number | undefined {
  const value: unknown = output === undefined ? undefined : JSON.parse(output);
  if (typeof value !== "object" || value === null || !("attempt" in value)) return undefined;
  return typeof value.attempt === "number" ? value.attempt : undefined;
}
