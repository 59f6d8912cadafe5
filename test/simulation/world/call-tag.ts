/** Who makes a model call: written into its prompt by the agent, so that the provider counts by itself whom it served. */
export interface CallTag {
  readonly runId: string;
  readonly taskId: string;
  readonly attempt: number;
  /** Which of the attempt's calls, from 0. */
  readonly call: number;
  /** The provider bills three times what was asked for. */
  readonly overspends: boolean;
}

export function toPrompt({ runId, taskId, attempt, call, overspends }: CallTag): string {
  return `${runId} ${taskId} ${attempt} ${call} ${overspends ? "overspend" : "fair"}`;
}

export function fromPrompt(prompt: string): CallTag {
  const [runId = "", taskId = "", attempt, call, billing] = prompt.split(" ");
  return {
    runId,
    taskId,
    attempt: Number(attempt),
    call: Number(call),
    overspends: billing === "overspend",
  };
}
