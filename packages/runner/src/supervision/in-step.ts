import type { AttemptScope } from "./attempt-scope.ts";
import { coded } from "./coded.ts";
import { stepOutcomeOf } from "./step-book.ts";
import type { Step, StepKind } from "./step-book.ts";

/** Runs what asks others for something as a numbered step. What it rejects with is coded, `store_unavailable` where it is not. */
export async function inStep<Answer>(
  scope: AttemptScope,
  { kind, key }: { readonly kind: StepKind; readonly key: string },
  act: (step: Step) => Promise<Answer>,
): Promise<Answer> {
  const step = scope.steps.begin(kind, key);
  try {
    const answer = await act(step);
    scope.steps.finish(step, { outcome: "success" });
    scope.beat(step.number);
    return answer;
  } catch (error) {
    const failure = coded(error, "store_unavailable");
    scope.steps.finish(step, { outcome: stepOutcomeOf(failure.code), code: failure.code });
    throw failure;
  } finally {
    scope.clocks.end(step.number);
  }
}
