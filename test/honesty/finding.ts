/** A way in which a test says less than it seems to, or says it only sometimes. */
export type Kind =
  | "narrowed"
  | "skipped without a reason"
  | "tried again"
  | "snapshot"
  | "expects a constant"
  | "swallowed"
  | "timed"
  | "fewer runs"
  | "fixed seed"
  | "cut short"
  | "real time"
  | "chance";

export interface Finding {
  readonly kind: Kind;
  /** From 1. */
  readonly line: number;
  /** The source from there on, cut. */
  readonly text: string;
}

/** The words with which a comment right above, or on the same line, states the reason of what it excuses. */
export const excuses: Readonly<Partial<Record<Kind, string>>> = {
  "skipped without a reason": "Skipped",
  "fewer runs": "Fewer runs",
  "real time": "Real time",
};
