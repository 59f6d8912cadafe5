/**
 * The arrows of the task protocol (architecture, "Truth and protocol"), with what keeps them going: each is an order of two
 * things, or a promise, that a bug could break.
 */
export const arrows = {
  append:
    "a decision is appended by the holder of the lease, against the version it was made for, before anything follows from it",
  fence: "the fence rises to the attempt that was decided, and never falls",
  enqueue: "the attempt that was decided is the one that is queued",
  claim: "an attempt is claimed once",
  journal: "a side effect that has begun is not begun again by a later attempt",
  reserve: "a call leaves only with money that nobody else holds",
  dispatch: "a call is marked as sent before it is sent, in an envelope that is still open",
  settle: "a reservation ends once, at what the call cost",
  finish: "an attempt ends once in the store, and its holds with it",
  inbox: "a result stays in the inbox until the commit that answers it",
  fold: "only the end of the attempt in hand is the task's",
  timers: "what was put off is taken up again",
  renew: "who is alive keeps what it holds, and who is not loses it",
  reconcile: "what was lost between two steps is looked for and done again",
  cancel: "a cancel closes the envelope in the store and reaches the worker",
} as const;

export type Arrow = keyof typeof arrows;
