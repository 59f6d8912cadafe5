import { bridleError } from "@bridle/protocol";

import type { AttemptScope } from "./attempt-scope.ts";
import { coded } from "./coded.ts";
import { beginJournalled, saveJournalled } from "./journalled-step.ts";
import { stepOutcomeOf } from "./step-book.ts";
import type { ToolEnding } from "./tool-outcome.ts";

export interface StepToBegin {
  readonly name: string;
  readonly repeatable: boolean;
}

/** `ctx.step` begins: go, or here is what an earlier attempt stored. Answers JSON text of `Begun`. */
export async function beginStep(
  scope: AttemptScope,
  { name, repeatable }: StepToBegin,
): Promise<string> {
  const step = scope.steps.begin("step", name);
  try {
    const begun = await beginJournalled({
      journal: scope.worker.store.steps,
      spender: scope.spender,
      key: scope.keys.step(name),
      repeatable,
    });
    if (begun.state === "done") {
      scope.steps.finish(step, { outcome: "success", code: "journalled" });
      scope.beat(step.number);
      return `{"state":"done","result":${begun.result}}`;
    }
    scope.tools.add({ step, call: undefined, tool: undefined, key: begun.key });
    return JSON.stringify({ state: "go", step: step.number, key: begun.key });
  } catch (error) {
    const { code } = coded(error, "store_unavailable");
    scope.steps.finish(step, { outcome: stepOutcomeOf(code), code });
    throw error;
  }
}

/** `ctx.step` has ended. Answers its result as JSON text, once that is stored. */
export async function endStep(
  scope: AttemptScope,
  number: number,
  ending: ToolEnding,
): Promise<string> {
  const open = scope.tools.take(number);
  if (open?.key === undefined || open.tool !== undefined) {
    throw bridleError("frame_invalid", { message: `No ctx.step is open at step ${number}.` });
  }
  const { worker, spender } = scope;
  if (ending.kind === "error") {
    scope.steps.finish(open.step, { outcome: stepOutcomeOf(ending.code), code: ending.code });
    return "null";
  }
  await saveJournalled(worker.store.steps, spender, { key: open.key, result: ending.text });
  scope.steps.finish(open.step, { outcome: "success" });
  scope.beat(number);
  return ending.text;
}
