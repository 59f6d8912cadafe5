import type { Brand } from "@bridle/kernel";
import { z } from "zod";

export type RunId = Brand<string, "RunId">;
/** `plan`, `search[3]` for the fourth item of a fan-out, or `plan.2` for the second task that `plan` spawned. */
export type TaskId = Brand<string, "TaskId">;

export const runIdSchema = z.custom<RunId>(
  (value) => typeof value === "string" && /^run_[A-Za-z0-9]{1,32}$/.test(value),
  {
    error: "Expected a run id such as run_V1StGXR8Z5jdHi6B.",
  },
);
export const taskNamePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
export const taskIdSchema = z.custom<TaskId>(
  (value) =>
    typeof value === "string" &&
    /^[A-Za-z][A-Za-z0-9_-]{0,63}(\[\d{1,5}\])?(\.[1-9]\d{0,3}){0,5}$/.test(value),
  {
    error:
      "Expected a task id such as plan, search[3] for an item, or plan.2 for a task that plan spawned.",
  },
);

/** For values that come from our own code or store; input from outside goes through `runIdSchema`. */
export function asRunId(text: string): RunId {
  return text as RunId;
}

/** For values that come from our own code or store; input from outside goes through `taskIdSchema`. */
export function asTaskId(text: string): TaskId {
  return text as TaskId;
}
