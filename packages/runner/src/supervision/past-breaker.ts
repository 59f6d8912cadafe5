/**
 * A task in its middle that a provider's breaker refuses waits at its step (BR-17), holding no money and no permit: WAITING until
 * something that can answer may be asked again, for the cooldown and 30 s more at most. Then the refusal stands: the agent may
 * handle it; let pass, it ends the attempt without spending it.
 */
import type { BreakerRefusal } from "@bridle/breaker";
import { CodedError, sleep } from "@bridle/kernel";

import { breakerRefused } from "../admission/breaker-refused.ts";
import type { AttemptScope } from "./attempt-scope.ts";
import { refusalOfAll, targetsOf } from "./refused-targets.ts";

const slackMs = 30_000;
/** Between two looks at least: whoever is admitted by a look may be late at the gate. */
const shortestPauseMs = 250;

interface WaitingStep {
  readonly number: number;
  readonly model: string;
  /**
   * Targets that failed this step, and the monotonic instant before which each wants no other call; filled by whoever hears of the
   * calls.
   */
  readonly failed: ReadonlyMap<string, number>;
  /**
   * Of these, whom no breaker holds (a server's own wait, a credential), or holds for less than the server wants to be left alone
   * (L11). No breaker says when that is over, so they are asked no more.
   */
  readonly without: Set<string>;
}

/** The answer of the first call that no provider's breaker refuses. `call` may be made any number of times. */
export async function pastBreaker<Answer>(
  scope: AttemptScope,
  step: WaitingStep,
  call: () => Promise<Answer>,
): Promise<Answer> {
  let untilMs: number | undefined;
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- made again only after it was refused
      return await call();
    } catch (error) {
      const refusal = providerRefusal(error);
      if (refusal === undefined || !mayWait(scope, step)) throw error;
      untilMs ??= scope.worker.clock.monotonicMs() + refusal.retryAfterMs + slackMs;
      // oxlint-disable-next-line no-await-in-loop -- the wait stands between the calls
      const left = await untilAskable(scope, { ...step, ...refusal, untilMs });
      if (left === "at_once") throw error;
      if (left !== undefined) throw breakerRefused(left, scope.worker.clock.wallMs());
    }
  }
}

/** False when every target has failed this step by itself: then there is nothing that a breaker would let answer it. */
function mayWait({ worker, envelope }: AttemptScope, step: WaitingStep): boolean {
  const { models, breakers } = worker;
  const nowMs = worker.clock.monotonicMs();
  for (const [target, notBeforeMs] of step.failed) {
    const answer = breakers.peek([`provider:${target}`]);
    if (answer.allowed || nowMs + answer.retryAfterMs < notBeforeMs) step.without.add(target);
  }
  const { allowModelFallback } = envelope;
  return targetsOf({ models, allowModelFallback, without: step.without }, step.model).length > 0;
}

interface Refusal {
  readonly key: string;
  readonly retryAfterMs: number;
}

function providerRefusal(error: unknown): Refusal | undefined {
  if (!CodedError.is(error) || error.code !== "breaker_open") return undefined;
  const { key, retryAfterMs } = error.details;
  const isProvider = typeof key === "string" && key.startsWith("provider:");
  return isProvider && typeof retryAfterMs === "number" ? { key, retryAfterMs } : undefined;
}

/**
 * Undefined once something may be asked; the refusal that is left when it is clear that nothing may be in time, or `at_once` when
 * it was the first. Rejects when the task is to stop.
 */
async function untilAskable(
  scope: AttemptScope,
  waiting: WaitingStep & Refusal & { readonly untilMs: number },
): Promise<BreakerRefusal | "at_once" | undefined> {
  const { worker, clocks, journal, spender, traceId } = scope;
  const { number, key, retryAfterMs, untilMs } = waiting;
  const leftMs = untilMs - worker.clock.monotonicMs();
  if (retryAfterMs > leftMs) return "at_once";
  const at = worker.clock.wallMs();
  journal({ type: "task.waiting", ...spender, traceId, at, on: key, until: at + leftMs });
  clocks.pause(number, "breaker", leftMs);
  try {
    return await lookUntil(scope, waiting);
  } finally {
    clocks.resume(number);
  }
}

async function lookUntil(
  { worker, envelope, signal }: AttemptScope,
  { model, without, retryAfterMs, untilMs }: WaitingStep & Refusal & { readonly untilMs: number },
): Promise<BreakerRefusal | undefined> {
  const { clock, models, breakers } = worker;
  const { allowModelFallback } = envelope;
  for (let pauseMs = retryAfterMs; ;) {
    // oxlint-disable-next-line no-await-in-loop -- the pause between two looks
    await sleep({ clock, ms: Math.max(pauseMs, shortestPauseMs), signal });
    const refusal = refusalOfAll({ models, breakers, allowModelFallback, without }, [model]);
    if (refusal === undefined) return undefined;
    if (refusal.retryAfterMs > untilMs - clock.monotonicMs()) return refusal;
    pauseMs = refusal.retryAfterMs;
  }
}
