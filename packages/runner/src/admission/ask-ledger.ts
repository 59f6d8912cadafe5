import { sleep } from "@bridle/kernel";
import type { Clock } from "@bridle/kernel";
import { bridleError } from "@bridle/protocol";

export interface LedgerWait {
  readonly clock: Clock;
  /** BU-21: the fence time. After it this worker takes no steps anyway. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
  /** Called once, when the step has to wait. */
  readonly onWaiting: (atMostMs: number) => void;
}

const againMs = 500;

/**
 * Asks a ledger that may be away again and again, up to the fence time: nothing is let out meanwhile, and a store that is back within
 * seconds costs no attempt. Rejects with `budget_unavailable`, or with the signal's reason. Contract: asking twice is harmless.
 */
export async function askLedger<Answer>(
  ask: () => Promise<Answer>,
  { clock, patienceMs, signal, onWaiting }: LedgerWait,
): Promise<Answer> {
  const untilMs = clock.monotonicMs() + patienceMs;
  let hasWaited = false;
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- asked again only after the last try failed
      return await ask();
    } catch (cause) {
      const leftMs = untilMs - clock.monotonicMs();
      if (leftMs <= 0) throw bridleError("budget_unavailable", { cause });
      if (!hasWaited) onWaiting(leftMs);
      hasWaited = true;
      // oxlint-disable-next-line no-await-in-loop -- the pause between two tries
      await sleep({ clock, ms: Math.min(againMs, leftMs), signal });
    }
  }
}
