/**
 * Steps that must not happen twice, over the attempts of a task (StepJournal of ports).
 *
 * S1. Begun is written before the step runs, its result before the agent sees it.
 * S2. A later attempt gets the stored result; begun without one, it may not run again (`unsafe_to_retry`), unless its author said that
 *     it may.
 * S3. A step that was begun and then refused by a guard did not happen. That is written down as its result, and the next attempt
 *     begins it under the next key, so that an empty budget does not make a task unsafe.
 */
import type { StepJournal } from "@bridle/ports";
import { bridleError } from "@bridle/protocol";
import type { Spender } from "@bridle/protocol";

/** Stored as the result of a step that was begun and did not happen. No agent's value: those have no such key by accident. */
const notStarted = '{"$bridle":"not_started"}';

export type BegunStep =
  | { readonly state: "done"; readonly result: string }
  | { readonly state: "go"; readonly key: string };

export interface BeginOptions {
  readonly journal: StepJournal;
  readonly spender: Spender;
  readonly key: string;
  readonly repeatable: boolean;
}

/** Rejects with `unsafe_to_retry`, or `fenced`. */
export async function beginJournalled(options: BeginOptions): Promise<BegunStep> {
  const { journal, spender, repeatable } = options;
  let { key } = options;
  for (let round = 2; ; round++) {
    // oxlint-disable-next-line no-await-in-loop -- the next key is asked for only when this one is spent
    const answer = await journal.begin(spender, key);
    if (answer.state === "fenced") throw bridleError("fenced");
    if (answer.state === "new") return { state: "go", key };
    if (answer.state === "begun") {
      if (repeatable) return { state: "go", key };
      throw unsafe(key);
    }
    if (answer.result !== notStarted) return { state: "done", result: answer.result };
    key = `${options.key}~${round}`;
  }
}

export async function saveJournalled(
  journal: StepJournal,
  spender: Spender,
  { key, result }: { readonly key: string; readonly result: string },
): Promise<void> {
  if (!(await journal.save(spender, key, result))) throw bridleError("fenced");
}

/** S3. A store that does not take it leaves the step as begun: unsafe rather than done twice. */
export async function markNotStarted(
  journal: StepJournal,
  spender: Spender,
  key: string,
): Promise<void> {
  try {
    await journal.save(spender, key, notStarted);
  } catch {
    // See above.
  }
}

function unsafe(key: string): Error {
  return bridleError("unsafe_to_retry", {
    message: `An earlier attempt began "${key}" and left no result, so nobody knows whether it took effect.`,
    details: { key },
  });
}
