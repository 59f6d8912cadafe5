/**
 * One wire call from admission to settlement.
 *
 * A1. Nothing is sent without a permit, and nothing with a passed deadline or an aborted signal, also if either happened while the
 *     permit was being got.
 * A2. A permit ends exactly once, before the attempt settles, with what the provider will bill at best knowledge (BU-12).
 * A3. The attempt ends when it is interrupted, whether the target listens or not.
 * A4. It never throws for a failed call: failures are values. It rejects only when nothing was sent, or the permit cannot end.
 */
import type { Clock } from "@bridle/kernel";
import type { ModelCall, WirePart, WirePermit } from "@bridle/ports";
import { toMessages } from "@bridle/protocol";
import type { Amounts } from "@bridle/protocol";

import { assertMaySend } from "./assert-may-send.ts";
import { estimateCall, outcomeCost } from "./call-cost.ts";
import type { CallEstimate, PricedTarget } from "./call-cost.ts";
import type { InputEstimate, InputEstimates } from "./input-estimates.ts";
import { Interrupt } from "./interrupt.ts";
import { judgeAttempt } from "./judge-attempt.ts";
import type { AttemptVerdict } from "./judge-attempt.ts";
import { ReplyReading } from "./reply-reading.ts";
import { readRetryAfter } from "./retry-after.ts";

export interface WireAttempt {
  readonly call: ModelCall;
  readonly priced: PricedTarget;
  readonly clock: Clock;
  readonly inputs: InputEstimates;
  readonly noOutputMs: number;
  /** Its number within the call, from 1. */
  readonly wireCall: number;
}

export interface AttemptResult {
  readonly verdict: AttemptVerdict;
  readonly reading: ReplyReading;
  readonly input: InputEstimate;
  readonly actual: Amounts;
  /** What the provider asked to wait, counted from the end of the attempt. */
  readonly retryAfterMs: number | undefined;
}

export async function sendOnce(attempt: WireAttempt): Promise<AttemptResult> {
  const { call, priced, clock, inputs } = attempt;
  const { target, family } = priced;
  const input = await inputs.of({ key: target.key, family }, toMessages(call.request));
  assertMaySend(call, clock);
  call.onEvent({ type: "sending", target: target.key, wireCall: attempt.wireCall });
  const estimate = estimateCall(priced, call.request, input);
  const permit = await call.admission.admit({
    target: target.key,
    estimate: estimate.amounts,
    reserve: estimate.reserve,
    promptTokens: input.tokens,
  });
  await endUnlessMaySend(attempt, permit);
  const reading = new ReplyReading(call, target.key);
  const verdict = await converse(attempt, estimate, reading);
  const cost = outcomeCost({ target: priced, estimate, reading, verdict });
  learnFrom(inputs, input, reading);
  const retryAfterMs = retryAfterOf(verdict, clock);
  await permit.end({
    outcome: verdict.outcome,
    class: verdict.class,
    retryAfterMs,
    completedProgress: verdict.outcome === "success",
    ...cost,
  });
  return { verdict, reading, input, actual: cost.actual, retryAfterMs };
}

/** Only a finished answer has counted all of its input. */
function learnFrom(
  inputs: InputEstimates,
  input: InputEstimate,
  { usage, finish }: ReplyReading,
): void {
  if (finish !== undefined && usage.inputTokens !== undefined) {
    inputs.learn(input, usage.inputTokens);
  }
}

function retryAfterOf(verdict: AttemptVerdict, clock: Clock): number | undefined {
  return verdict.outcome === "success"
    ? undefined
    : readRetryAfter(verdict.failure.headers, clock.wallMs());
}

/** A1: between asking and getting, the world may have moved on. The permit goes back; nothing was sent and nothing is owed. */
async function endUnlessMaySend({ call, clock }: WireAttempt, permit: WirePermit): Promise<void> {
  try {
    assertMaySend(call, clock);
  } catch (error) {
    const actual: Amounts = { tokens: 0, nanoUsd: 0, calls: 0 };
    await permit.end({
      outcome: "neutral",
      class: "aborted",
      actual,
      basis: "best_knowledge",
      completedProgress: false,
    });
    throw error;
  }
}

async function converse(
  { call, priced, clock, noOutputMs }: WireAttempt,
  estimate: CallEstimate,
  reading: ReplyReading,
): Promise<AttemptVerdict> {
  const interrupt = new Interrupt({ clock, signal: call.signal, noOutputMs });
  const { temperature } = call.request;
  const stream = priced.target.stream({
    messages: toMessages(call.request),
    maxOutputTokens: estimate.maxOutputTokens,
    temperature,
    signal: interrupt.signal,
    traceparent: call.traceparent,
  });
  const parts = stream[Symbol.asyncIterator]();
  try {
    await readAll(parts, interrupt, reading);
    return judgeAttempt({ reading, interruption: interrupt.interruption });
  } catch (error) {
    return judgeAttempt({ reading, interruption: interrupt.interruption, error });
  } finally {
    interrupt.dispose();
    // Queued behind a read that may never settle (A3), so it is not waited for.
    parts.return?.().catch(() => undefined);
  }
}

async function readAll(
  parts: AsyncIterator<WirePart>,
  interrupt: Interrupt,
  reading: ReplyReading,
): Promise<void> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- a stream is read in order
    const next = await interrupt.orInterrupted(parts.next());
    if (next === undefined || next.done === true) return;
    if (reading.read(next.value) === "output") interrupt.moved();
  }
}
