/** One call of a tool, or one text of the model. */
export type TraceStep =
  | {
      readonly kind: "tool";
      readonly tool: string;
      readonly arguments: unknown;
      readonly result: string;
      readonly isError: boolean;
    }
  | { readonly kind: "text"; readonly text: string };

/** What an agent did, with a person's word on whether it went in circles. */
export interface Trace {
  readonly name: string;
  readonly label: "good" | "loop";
  readonly why: string;
  /** Index of the first step that brings nothing new: the start of the waste. Absent for good ones. */
  readonly loopStartsAt?: number | undefined;
  readonly pollingTools: readonly string[];
  /** Tools that say `sideEffects: true`. */
  readonly effectTools?: readonly string[] | undefined;
  readonly steps: readonly TraceStep[];
}
