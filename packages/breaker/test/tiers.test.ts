import { expect, it } from "vitest";

import { breakerOpenError, parseKey } from "../src/index.ts";
import { bench, done, failure, opened, repeat, tool } from "./support.ts";

const [writerInA, writerInB] = ["agent:alpha/writer", "agent:beta/writer"];
const [sonnet, haiku] = ["provider:anthropic/sonnet", "provider:anthropic/haiku"];

it.each([
  { key: "tool:a/b", tier: "tool", umbrella: undefined },
  { key: "chain:run_1", tier: "chain", umbrella: undefined },
  { key: writerInA, tier: "agent", umbrella: { key: "agent:writer", source: "alpha" } },
  {
    key: "provider:openrouter/meta/llama",
    tier: "provider",
    umbrella: { key: "provider:openrouter", source: "meta/llama" },
  },
])("[BR-13] $key is of tier $tier, under $umbrella.key", ({ key, tier, umbrella }) => {
  expect(parseKey(key)).toMatchObject({ key, tier, umbrella, isUmbrella: false });
});

it.each(["search", "tool:", "task:a", ""])('"%s" is refused as a key', (key) => {
  expect(() => parseKey(key)).toThrowError(expect.objectContaining({ code: "request_invalid" }));
});

it("[BR-13] one workflow's failures open its own agent, never the umbrella over the others", () => {
  const { call, view, set } = bench();
  repeat(20, () => {
    const admission = set.acquire([writerInA]);
    if (admission.allowed) admission.permit.end(failure);
  });
  call("success", { key: writerInB });

  expect(view(writerInA).state).toBe("OPEN");
  expect(view("agent:writer").state).toBe("CLOSED");
  expect(view(writerInB).state).toBe("CLOSED");
  set.close();
});

it("[BR-13] failures of two workflows in a row open the umbrella for a third", () => {
  const { call, view, set } = bench();
  repeat(4, () => call("failure", { key: writerInA }));
  call("failure", { key: writerInB });

  expect(view("agent:writer").state).toBe("OPEN");
  expect(set.check(["agent:gamma/writer"])).toMatchObject({ allowed: false, key: "agent:writer" });
  expect(view(writerInA).state).toBe("CLOSED");
  set.close();
});

/** Models that never open themselves, so that only their umbrella can. */
const patient = { minRequestVolume: 1000, consecutiveFailures: 1000 };
const patientModels = { [sonnet]: patient, [haiku]: patient };

it.each([
  { other: haiku, idleMs: 0, state: "OPEN" },
  { other: sonnet, idleMs: 0, state: "CLOSED" },
  { other: haiku, idleMs: 601_000, state: "CLOSED" },
])(
  "[BR-13] sonnet fails once, $other ten times $idleMs ms later: the provider is $state",
  ({ other, idleMs, state }) => {
    const { call, clock, view, set } = bench({
      settings: { consecutiveFailures: 1000 },
      settingsByKey: patientModels,
    });
    call("failure", { key: sonnet });
    clock.advance(idleMs);
    repeat(10, () => {
      if (view("provider:anthropic").state === "CLOSED") call("failure", { key: other });
    });

    expect(view("provider:anthropic").state).toBe(state);
    set.close();
  },
);

it.each([
  { second: haiku, state: "OPEN" },
  { second: sonnet, state: "CLOSED" },
])("[BR-13] slow failures of sonnet and $second leave the provider $state", ({ second, state }) => {
  const { call, clock, view, set } = bench({
    settings: { consecutiveFailures: 1000 },
    settingsByKey: patientModels,
  });
  repeat(10, (index) => {
    if (index > 0) clock.advance(20_000);
    if (index % 2 === 0) call("success", { key: "provider:anthropic/opus" });
    else call("failure", { key: index < 5 ? sonnet : second });
  });

  expect(view("provider:anthropic").state).toBe(state);
  set.close();
});

it("[B5] the narrowest refusal answers, in whatever order the keys come", () => {
  const { set } = bench();
  const forced = { state: "FORCED_OPEN", actor: "ada", reason: "test" } as const;
  for (const key of [tool, writerInA, sonnet]) set.force(key, forced);

  expect(set.check([sonnet, writerInA, tool])).toMatchObject({ key: tool, tier: "tool" });
  set.reset(tool, forced);
  expect(set.check([sonnet, writerInA, tool])).toMatchObject({ key: writerInA, tier: "agent" });
  set.reset(writerInA, forced);
  expect(set.check([sonnet, writerInA, tool])).toMatchObject({ key: sonnet, tier: "provider" });
});

it("[B5] an open tool leaves callers of other tools alone", () => {
  const { set } = opened();

  expect(set.check([tool, writerInA]).allowed).toBe(false);
  expect(set.check(["tool:other", writerInA]).allowed).toBe(true);
  set.close();
});

it("[BR-13] a refusal by one key rolls back what another had given: no probe slot is lost", () => {
  const { clock, set, view } = opened();
  clock.advance(30_000);
  set.force(sonnet, { state: "FORCED_OPEN", actor: "ada", reason: "test" });
  repeat(5, () => expect(set.acquire([tool, sonnet])).toMatchObject({ key: sonnet }));

  expect(view()).toMatchObject({ state: "HALF_OPEN", probeEligible: true, inFlight: 0 });
  expect(set.acquire([tool]).allowed && set.acquire([tool]).allowed).toBe(true);
  set.close();
});

it("[BR-13] one key given twice is asked once", () => {
  const { clock, set } = opened();
  clock.advance(30_000);

  set.acquire([tool, tool]);

  expect(set.acquire([tool]).allowed).toBe(true);
  set.close();
});

it("[GC-5] checking takes nothing, however often", () => {
  const { clock, set, view } = opened();
  clock.advance(30_000);
  repeat(50, () => expect(set.check([tool])).toEqual({ allowed: true }));

  expect(view()).toMatchObject({ probeEligible: true, inFlight: 0 });
  set.close();
});

it("[GC-5] when the budget refuses after the breaker admitted, giving back leaves no trace but a count", () => {
  const { admitted, view } = bench();
  admitted().end("giveBack");

  expect(view()).toMatchObject({ inFlight: 0, counts: { givenBack: 1 } });
  expect(view().totals).toMatchObject({ successes: 0, failures: 0 });
});

it("[BR-16] the sixty-fifth call in flight to one model is refused; other models and the umbrella are not capped", () => {
  const { admitted, set, view } = bench();
  const calls = Array.from({ length: 64 }, () => admitted([sonnet]));

  expect(set.check([sonnet])).toEqual({
    allowed: false,
    key: sonnet,
    tier: "provider",
    reason: "in_flight_cap",
    retryAfterMs: 1000,
  });
  expect(set.acquire([sonnet])).toMatchObject({ reason: "in_flight_cap" });
  repeat(64, () => admitted([haiku]));
  expect(view("provider:anthropic").inFlight).toBe(128);

  calls[0]?.end("success", done);
  expect(set.acquire([sonnet]).allowed).toBe(true);
});

it("[BR-16] tools and agents have no such cap", () => {
  const { admitted, view } = bench();
  repeat(200, () => admitted([tool, writerInA]));

  expect([view(tool).inFlight, view(writerInA).inFlight]).toEqual([200, 200]);
});

it("[B6] the error of a refusal carries tier, key, reason and retry time, and can be retried", () => {
  const { set } = opened();
  const refusal = set.acquire([tool]);
  if (refusal.allowed) throw new Error("expected a refusal");

  expect(breakerOpenError(refusal)).toMatchObject({
    code: "breaker_open",
    retryable: true,
    details: { key: tool, tier: "tool", reason: "open", retryAfterMs: 30_000 },
  });
  set.close();
});
