/** The short ways of a call that nothing can follow from: they may save work and must change nothing. */
import fc from "fast-check";
import { expect, it } from "vitest";

import type { Permit, PermitFacts } from "../src/index.ts";
import { bench, done, failure, repeat, tool } from "./support.ts";
import type { Bench } from "./support.ts";

const agent = "agent:w/researcher";
const model = "provider:acme/small";
const keys = [tool, "chain:run_1", agent, model];
const tokens = fc.constantFrom(0, 100.4, 1000, 1000, 1000.6, 9000, 90_000);

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("begin" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("end" as const),
      which: fc.nat(),
      outcome: fc.constantFrom("success", "success", "success", "failure", "giveBack"),
      tokens,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("good" as const),
      calls: fc.integer({ min: 1, max: 12 }),
      tokens,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("wait" as const),
      ms: fc.constantFrom(1, 999, 1000, 7000, 30_000, 61_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("task" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("hand" as const),
      state: fc.constantFrom("METRICS_ONLY", "FORCED_CLOSED", "DISABLED", "reset"),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** One of the two: the long one is asked with other keys each time, and told a Retry-After that is none. */
class Told {
  readonly bench: Bench;
  readonly #isLong: boolean;
  readonly #out: Permit[] = [];
  #asked = 0;

  constructor(isLong: boolean) {
    this.bench = bench({ settings: { halfOpenMaxRequests: 1 } });
    this.#isLong = isLong;
  }

  take(told: Step): void {
    const { clock, set } = this.bench;
    if (told.type === "begin") this.#begin();
    else if (told.type === "wait") clock.advance(told.ms);
    else if (told.type === "task") set.watchTask([agent]).end(failure);
    else if (told.type === "end") this.#end(told);
    else if (told.type === "hand") this.#lay(told.state);
    else {
      repeat(told.calls, () => this.#begin()?.end("success", this.#facts(told.tokens)));
    }
  }

  /** All there is to see; the long one's Retry-Afters were counted, and that is wanted. */
  get seen(): unknown {
    const views = this.bench.set.view();
    for (const { counts } of views) Object.assign(counts, { unsound: 0 });
    return { views, events: this.bench.events };
  }

  #begin(): Permit | undefined {
    this.#asked += 1;
    const more = this.#isLong ? Array.from({ length: this.#asked }, () => tool) : [];
    const admission = this.bench.set.acquire([...keys, ...more]);
    if (!admission.allowed) return undefined;
    this.#out.push(admission.permit);
    return admission.permit;
  }

  #end(told: Step & { readonly type: "end" }): void {
    const [permit] = this.#out.splice(told.which % Math.max(1, this.#out.length), 1);
    const outcome = told.outcome === "failure" ? failure : told.outcome;
    permit?.end(outcome, this.#facts(told.tokens));
  }

  #facts(used: number): PermitFacts {
    return { ...done, tokens: used, ...(this.#isLong ? { retryAfterMs: Number.NaN } : {}) };
  }

  #lay(state: "METRICS_ONLY" | "FORCED_CLOSED" | "DISABLED" | "reset"): void {
    const by = { actor: "kim", reason: "test" };
    if (state === "reset") this.bench.set.reset(agent, by);
    else this.bench.set.force(agent, { state, ...by, forMs: 5000 });
  }
}

it("[BR-1] [BR-2] [BR-3] [BR-4] [BR-12] a call like the one before it leaves what it would leave if everybody were asked anew", () => {
  let opened = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 80, size: "max" }), (steps) => {
      const [short, long] = [new Told(false), new Told(true)];
      for (const told of steps) {
        short.take(told);
        long.take(told);
      }
      expect(short.seen).toEqual(long.seen);
      opened += short.bench.events.length;
      short.bench.set.close();
      long.bench.set.close();
    }),
    { numRuns: 300 },
  );
  // The control: there was something to differ in.
  expect(opened).toBeGreaterThan(0);
});

it("[BR-5] what opens on a good call names its trace, too", () => {
  const { call, events, set } = bench();
  repeat(10, () => call("success", { key: agent, tokens: 10_000 }));

  call("success", { key: agent, tokens: 60_000, traceId: "trace-7" });

  expect(events).toMatchObject([
    { type: "breaker.open", triggers: ["burn_call"], traceId: "trace-7" },
  ]);
  set.close();
});

it("[BR-13] a breaker that was forgotten and made anew is the one that is asked and told", () => {
  const { admitted, call, clock, set, view } = bench({ maxKeys: 2 });
  call("success", { key: tool });
  clock.advance(3_600_000);
  call("success", { key: "tool:other" });
  call("success", { key: "tool:third" });
  expect(set.size).toBe(2);

  repeat(5, () => admitted([tool]).end(failure));

  expect(view(tool).state).toBe("OPEN");
  expect(set.acquire([tool])).toMatchObject({ allowed: false });
  set.close();
});

it("[BR-16] the cap also holds for calls that are like the one before them", () => {
  const { admitted, set, view } = bench({ settings: { inFlightCap: 3 } });
  repeat(2, () => admitted(keys).end("success", done));
  repeat(3, () => admitted(keys));

  expect(set.acquire(keys)).toMatchObject({ key: model, reason: "in_flight_cap" });
  expect([tool, agent, model].map((key) => view(key).inFlight)).toEqual([3, 3, 3]);
});
