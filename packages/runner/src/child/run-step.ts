import { toFault } from "./fault.ts";
import type { TaskSession } from "./task-session.ts";

/** The supervisor's answer to `step.begin` and `tool.begin`. */
export type Begun =
  | { readonly state: "done"; readonly result: unknown }
  | { readonly state: "go"; readonly step: number; readonly key: string };

export interface StepToRun<Result> {
  readonly name: string;
  readonly fn: () => Result | Promise<Result>;
  readonly repeatable: boolean;
}

/** Brackets the author's function with begin and end, so that its result is stored before the agent sees it. */
export async function runStep<Result>(
  session: TaskSession,
  { name, fn, repeatable }: StepToRun<Result>,
): Promise<Result> {
  const begun = (await session.requests.ask({ op: "step.begin", name, repeatable })) as Begun;
  if (begun.state === "done") return begun.result as Result;
  const { step } = begun;
  let result: Result;
  try {
    result = await fn();
  } catch (error) {
    const fault = toFault(error, "agent_failed");
    await session.requests.ask({ op: "step.end", step, outcome: { error: fault } });
    throw error;
  }
  const stored = await session.requests.ask({
    op: "step.end",
    step,
    outcome: { result: session.pack(result) },
  });
  // The same value a later attempt would get: what went through JSON.
  return stored as Result;
}
