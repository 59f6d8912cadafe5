/**
 * The budget guard's part of an admission: sets aside what a call may cost.
 *
 * H1. `enforce`: admitted by the envelope, after a wait in line where others hold what is missing, or refused. A ledger that is
 *     away is waited for up to the fence time (BU-21).
 * H2. `warn`: what the envelope refuses is told of and booked all the same, at once: the figures are what was spent.
 * H3. `off`: booked and never judged; a ledger that is away books nothing and stops nothing.
 * H4. In every mode nothing is spent where nothing may be spent any more: a closed envelope, an older attempt.
 */
import { bridleError } from "@bridle/protocol";
import type { Amounts, ReserveAnswer, ReserveRequest } from "@bridle/protocol";

import type { AdmissionParts } from "./admission-parts.ts";
import { askLedger } from "./ask-ledger.ts";
import { refusalError } from "./refusal-error.ts";
import type { CallAsk } from "./task-admission.ts";

type Reserve = (kind: ReserveRequest["kind"]) => Promise<ReserveAnswer>;

/** The hold's id; undefined when a guard that is off could not book. Rejects with the refusal; then nothing is held. */
export async function reserveHold(
  parts: AdmissionParts,
  ask: CallAsk,
  amounts: Amounts,
): Promise<string | undefined> {
  const { budgetMode, ledger, spender, ids, clock } = parts;
  const holdId = ids.next("hold");
  const reserve: Reserve = async (kind) =>
    ledger.reserve({ ...spender, holdId, step: ask.step, amounts, kind, at: clock.wallMs() });
  const kind = ask.isLadder || parts.openingHold !== undefined ? "ladder" : "normal";
  switch (budgetMode) {
    case "enforce":
      await enforced(parts, ask, async () => reserve(kind));
      return holdId;
    case "warn":
      await warned(parts, ask, {
        judged: async () => orUnavailable(reserve(kind)),
        booked: async () => orUnavailable(reserve("unenforced")),
      });
      return holdId;
    case "off": {
      const answer = await reserve("unenforced").catch(() => undefined);
      if (answer?.admitted === false) throw refusalError(answer);
      return answer === undefined ? undefined : holdId;
    }
  }
}

async function enforced(
  parts: AdmissionParts,
  ask: CallAsk,
  reserve: () => Promise<ReserveAnswer>,
): Promise<void> {
  const { queue, spender, signal, breakers, clock, fenceMs: patienceMs } = parts;
  let hasWaited = false;
  const waitingOn = (on: "budget" | "store") => (atMostMs: number) => {
    hasWaited = true;
    ask.onWaiting(atMostMs, on);
  };
  try {
    const answer = await queue.reserve({
      runId: spender.runId,
      reserve: async () =>
        askLedger(reserve, { clock, patienceMs, signal, onWaiting: waitingOn("store") }),
      signal,
      onWaiting: waitingOn("budget"),
    });
    if (answer.admitted) return;
    breakers.note(ask.keys, "budgetRefused");
    throw refusalError(answer);
  } finally {
    if (hasWaited) ask.onWaited();
  }
}

async function orUnavailable<Answer>(asking: Promise<Answer>): Promise<Answer> {
  try {
    return await asking;
  } catch (cause) {
    throw bridleError("budget_unavailable", { cause });
  }
}

async function warned(
  { journal, spender, clock }: AdmissionParts,
  { step }: CallAsk,
  reserve: Record<"judged" | "booked", () => Promise<ReserveAnswer>>,
): Promise<void> {
  const answer = await reserve.judged();
  if (answer.admitted) return;
  const booked = await reserve.booked();
  if (!booked.admitted) throw refusalError(booked);
  const [at, reason] = [clock.wallMs(), answer.refusal];
  journal({ type: "would_refuse", ...spender, at, step, guard: "budget", reason });
}
