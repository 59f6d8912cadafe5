/** Who makes a model call: written into its prompt by the agent, so that the provider counts by itself whom it served. */
export interface CallTag {
  readonly runId: string;
  readonly taskId: string;
  readonly attempt: number;
  /** Which of the attempt's calls, from 0. */
  readonly call: number;
  readonly manner: Manner;
}

/** `overspend`: it bills three times what was asked for. `think`: its answer takes minutes. */
export type Manner = "fair" | "overspend" | "think";

export function toPrompt({ runId, taskId, attempt, call, manner }: CallTag): string {
  return `${runId} ${taskId} ${attempt} ${call} ${manner}`;
}

export function fromPrompt(prompt: string): CallTag {
  const [runId = "", taskId = "", attempt, call, manner] = prompt.split(" ");
  return {
    runId,
    taskId,
    attempt: Number(attempt),
    call: Number(call),
    // Written by `toPrompt` and by nobody else.
    manner: manner as Manner,
  };
}
