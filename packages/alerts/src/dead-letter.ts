import type { AlertDraft } from "./alert-of.ts";

/** A delivery that was given up, and what there is to say of it. */
export interface DeadLetter {
  readonly alertId: string;
  readonly destination: string;
  readonly source: string;
  /** Wall ms. */
  readonly at: number;
  readonly draft: AlertDraft;
}

export interface GivenUp {
  readonly alertId: string;
  readonly destination: string;
  readonly error: string;
  /** Wall ms. */
  readonly at: number;
}

const prefix = "dead.";
/** With a store that does not answer they would grow without end; further ones show in the list. */
const mostKept = 100;

/**
 * The list with one more. That the news of a dead letter has died is no news: two receivers that are both away would tell each other
 * for ever. Pure.
 */
export function deadLetter(
  known: readonly DeadLetter[],
  { alertId, destination, error, at }: GivenUp,
): DeadLetter[] {
  if (alertId.startsWith(prefix) || known.length >= mostKept) return [...known];
  const draft: AlertDraft = {
    name: "alerts.dead_letter",
    status: "firing",
    severity: "critical",
    subject: `alerts.dead_letter:${destination}`,
    message: `The webhook "${destination}" never took an alert, and it was given up: ${error}`,
  };
  return [
    ...known,
    { alertId, destination, source: `${prefix}${alertId}.${destination}`, at, draft },
  ];
}
