import type { DecisionCommit } from "./run-log.ts";

/** A commit's members that say what it does, saying nothing: whoever commits one thing names that one. */
export const nothingDecided = {
  events: [],
  consumed: [],
  inputs: [],
  timersSet: [],
  timersCleared: [],
  envelopesOpened: [],
  envelopesClosed: [],
  cancels: [],
} as const satisfies Partial<DecisionCommit>;
