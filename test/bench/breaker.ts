/** What guarding one call costs in process: three tiers of ours beside one breaker of others. */
import { BreakerSet, routeOutcome } from "@bridle/breaker";
import { systemClock, systemRandom } from "@bridle/kernel/system";
import { circuitBreaker, handleAll, SamplingBreaker } from "cockatiel";
import CircuitBreaker from "opossum";

import type { BenchResult } from "./bench-report.ts";
import { interleave } from "./interleave.ts";
import type { Contestant } from "./interleave.ts";

const calls = 20_000;
const rounds = 100;
const warmups = 20;
const keys = ["tool:search", "agent:bench/writer", "provider:acme/small"];
/** What one model call of a bench agent uses; only ours counts tokens. */
const tokens = 1500;

/** Makes the calls of a round, each the way its breaker asks for it, and nothing else. */
type Calls = () => Promise<void>;

export async function benchBreaker(): Promise<BenchResult> {
  const [ours, withTokens] = [ourCalls(undefined), ourCalls(tokens)];
  const opossum = opossumCalls();
  const medians = await interleave(
    {
      bare: perCall(bareCalls),
      tiers: perCall(ours.calls),
      tokens: perCall(withTokens.calls),
      cockatiel: perCall(cockatielCalls()),
      opossum: perCall(opossum.calls),
    },
    { rounds, warmups },
  );
  ours.close();
  withTokens.close();
  opossum.close();
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
      `${calls} calls a round, one after the other, median of ${rounds} rounds after ${warmups} unmeasured ones; processor time; every figure includes the bare async call.`,
      "Ours: acquire tool, agent and provider (and the umbrellas over two of them), the call, record. All closed, every call succeeds.",
      "cockatiel: sampling breaker, 50 % of 60 s. opossum: 50 % of 60 s in 60 buckets, its timeout off. Neither counts tokens.",
    ],
  };
}

// Each contestant's loop stands by itself: a function around the call would charge one of them for what is no part of it.
/* oxlint-disable no-await-in-loop -- one call at a time is what a task makes */

async function noop(): Promise<void> {
  // The guard is what is measured.
}

/** Nanoseconds of processor time a call: what another program takes meanwhile is not its cost. */
function perCall(makeCalls: Calls): Contestant {
  return async () => {
    const before = process.cpuUsage();
    await makeCalls();
    const { user, system } = process.cpuUsage(before);
    return ((user + system) / calls) * 1000;
  };
}

async function bareCalls(): Promise<void> {
  for (let call = 0; call < calls; call++) await noop();
}

/** Breakers of their own for each: who has seen tokens goes on looking at how they burn. */
function ourCalls(used: number | undefined) {
  const breakers = new BreakerSet({
    clock: systemClock,
    random: systemRandom,
    emit: ({ type }) => {
      throw new Error(`No call failed, and yet there was ${type}.`);
    },
  });
  const makeCalls: Calls = async () => {
    for (let call = 0; call < calls; call++) {
      const admission = breakers.acquire(keys);
      if (!admission.allowed) throw new Error(`${admission.key} refused a call.`);
      try {
        await noop();
        admission.permit.end("success", { completedProgress: true, tokens: used });
      } catch (error) {
        admission.permit.end(routeOutcome({ kind: "model", outcome: "server_error" }));
        throw error;
      }
    }
  };
  return {
    calls: makeCalls,
    close: () => {
      if (breakers.emitFailures > 0)
        throw new Error("A breaker changed its state under successes.");
      breakers.close();
    },
  };
}

function cockatielCalls(): Calls {
  const policy = circuitBreaker(handleAll, {
    halfOpenAfter: 30_000,
    breaker: new SamplingBreaker({ threshold: 0.5, duration: 60_000, minimumRps: 1 }),
  });
  return async () => {
    for (let call = 0; call < calls; call++) await policy.execute(noop);
  };
}

function opossumCalls() {
  const breaker = new CircuitBreaker(noop, {
    timeout: false,
    errorThresholdPercentage: 50,
    volumeThreshold: 10,
    rollingCountTimeout: 60_000,
    rollingCountBuckets: 60,
    resetTimeout: 30_000,
  });
  const makeCalls: Calls = async () => {
    for (let call = 0; call < calls; call++) await breaker.fire();
  };
  return { calls: makeCalls, close: () => breaker.shutdown() };
}
