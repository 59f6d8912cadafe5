/** What guarding one call costs in process: three tiers of ours beside one breaker of others. */
import { BreakerSet, routeOutcome } from "@bridle/breaker";
import { systemClock, systemRandom } from "@bridle/kernel/system";
import { circuitBreaker, handleAll, SamplingBreaker } from "cockatiel";
import CircuitBreaker from "opossum";

import type { BenchResult } from "./bench-report.ts";
import { interleave } from "./interleave.ts";
import type { Contestant } from "./interleave.ts";

const calls = 20_000;
const rounds = 15;
const warmups = 3;
const keys = ["tool:search", "agent:bench/writer", "provider:acme/small"];
/** What one model call of a bench agent uses; only ours counts tokens. */
const tokens = 1500;

/** One guarded call that succeeds at once. */
type Guarded = () => Promise<unknown>;

export async function benchBreaker(): Promise<BenchResult> {
  const ours = ourBreakers();
  const opossum = opossumBreaker();
  const medians = await interleave(
    {
      bare: perCall(noop),
      tiers: perCall(ours.outcomeOnly),
      tokens: perCall(ours.withTokens),
      cockatiel: perCall(cockatielBreaker()),
      opossum: perCall(async () => opossum.fire()),
    },
    { rounds, warmups },
  );
  ours.close();
  opossum.shutdown();
  return {
    rows: [
      { name: "bare call", value: medians.bare, unit: "ns" },
      { name: "ours, three tiers", value: medians.tiers, unit: "ns" },
      { name: "ours, three tiers and tokens", value: medians.tokens, unit: "ns" },
      { name: "cockatiel, one breaker", value: medians.cockatiel, unit: "ns" },
      { name: "opossum, one breaker", value: medians.opossum, unit: "ns" },
      { name: "ours / cockatiel", value: medians.tiers / medians.cockatiel, unit: "×" },
      {
        name: "ours with tokens / cockatiel",
        value: medians.tokens / medians.cockatiel,
        unit: "×",
      },
      { name: "ours / opossum", value: medians.tiers / medians.opossum, unit: "×" },
    ],
    goals: [{ name: "ours / cockatiel", op: "<=", limit: 1 }],
    notes: [
      `${calls} calls a round, one after the other, median of ${rounds} rounds after ${warmups} unmeasured ones; every figure includes the bare async call.`,
      "Ours: acquire tool, agent and provider (and the umbrellas over two of them), the call, record. All closed, every call succeeds.",
      "cockatiel: sampling breaker, 50 % of 60 s. opossum: 50 % of 60 s in 60 buckets, its timeout off. Neither counts tokens.",
    ],
  };
}

async function noop(): Promise<void> {
  // The guard is what is measured.
}

/** Nanoseconds a call. */
function perCall(guarded: Guarded): Contestant {
  return async () => {
    const startedMs = performance.now();
    // oxlint-disable-next-line no-await-in-loop -- one call at a time is what a task makes
    for (let call = 0; call < calls; call++) await guarded();
    return ((performance.now() - startedMs) / calls) * 1e6;
  };
}

function ourBreakers() {
  const breakers = new BreakerSet({
    clock: systemClock,
    random: systemRandom,
    emit: ({ type }) => {
      throw new Error(`No call failed, and yet there was ${type}.`);
    },
  });
  const success = routeOutcome({ kind: "model", outcome: "success" });
  const guard = (facts: { readonly completedProgress: true; readonly tokens?: number }) => {
    return async (): Promise<void> => {
      const admission = breakers.acquire(keys);
      if (!admission.allowed) throw new Error(`${admission.key} refused a call.`);
      await noop();
      admission.permit.end(success, facts);
    };
  };
  return {
    outcomeOnly: guard({ completedProgress: true }),
    withTokens: guard({ completedProgress: true, tokens }),
    close: () => {
      if (breakers.emitFailures > 0)
        throw new Error("A breaker changed its state under successes.");
      breakers.close();
    },
  };
}

function cockatielBreaker(): Guarded {
  const policy = circuitBreaker(handleAll, {
    halfOpenAfter: 30_000,
    breaker: new SamplingBreaker({ threshold: 0.5, duration: 60_000, minimumRps: 1 }),
  });
  return async () => policy.execute(noop);
}

function opossumBreaker() {
  return new CircuitBreaker(noop, {
    timeout: false,
    errorThresholdPercentage: 50,
    volumeThreshold: 10,
    rollingCountTimeout: 60_000,
    rollingCountBuckets: 60,
    resetTimeout: 30_000,
  });
}
