/** To the thread: one template and its bindings, as JSON text (parsing them is part of the measured work). */
export interface EvaluationRequest {
  readonly id: number;
  readonly template: string;
  readonly bindings: string;
}

/** From the thread. `begun` starts the clock: what came before (loading, the queue) is not the expression's doing. */
export type EvaluatorMessage =
  | { readonly type: "ready" }
  | { readonly type: "begun"; readonly id: number }
  | { readonly type: "done"; readonly id: number; readonly answer: string };
