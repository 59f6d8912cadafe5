import fc from "fast-check";
import { expect, it } from "vitest";

import type { Permit } from "../src/index.ts";
import { ReferenceBreaker } from "./reference-breaker.ts";
import type { ReferencePermit } from "./reference-breaker.ts";
import { bench, failure, tool } from "./support.ts";
import type { Bench } from "./support.ts";

const outcomes = ["success", "failure", "failure", "giveBack", "empty"] as const;

const command = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ type: "acquire" } as const) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("end" as const),
      which: fc.nat(),
      how: fc.constantFrom(...outcomes),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("renew" as const), which: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("wait" as const),
      ms: fc.oneof(
        fc.integer({ min: 1, max: 5000 }),
        fc.constantFrom(29_999, 30_000, 59_000, 60_000, 61_000, 120_000, 600_000, 3_600_000),
      ),
    }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

const commands = fc.array(command, { minLength: 50, maxLength: 200, size: "max" });

interface Pair {
  readonly real: Permit;
  readonly reference: ReferencePermit;
}

class Race {
  readonly bench: Bench = bench({ random: { next: () => 0.5 } });
  readonly reference = new ReferenceBreaker();
  readonly out: Pair[] = [];

  get now(): number {
    return this.bench.clock.monotonicMs();
  }

  /** What the two say after a step; they must say the same. */
  run(step: Command): { readonly real: unknown; readonly expected: unknown } {
    switch (step.type) {
      case "wait":
        this.bench.clock.advance(step.ms);
        return this.look();
      case "acquire":
        return this.acquire();
      case "renew":
        return this.renew(step.which);
      case "end":
        this.end(step.which, step.how);
        return this.look();
    }
  }

  look(): { readonly real: unknown; readonly expected: unknown } {
    this.reference.pass(this.now);
    const [view] = this.bench.set.view();
    if (view === undefined) return { real: "CLOSED", expected: this.reference.phase };
    const real = { state: view.state, waitMs: view.state === "OPEN" ? view.retryAfterMs : 0 };
    return {
      real,
      expected: { state: this.reference.phase, waitMs: this.reference.waitMs(this.now) },
    };
  }

  acquire(): { readonly real: unknown; readonly expected: unknown } {
    const reference = this.reference.acquire(this.now);
    const real = this.bench.set.acquire([tool]);
    if (real.allowed && reference !== undefined) this.out.push({ real: real.permit, reference });
    return { real: real.allowed, expected: reference !== undefined };
  }

  end(which: number, how: (typeof outcomes)[number]): void {
    const [pair] = this.out.splice(which % Math.max(1, this.out.length), 1);
    if (pair === undefined) return;
    this.reference.end(pair.reference, how === "empty" ? this.emptyMeans() : how, this.now);
    const isGood = how === "success" || how === "empty";
    pair.real.end(isGood ? "success" : how === "failure" ? failure : how, {
      completedProgress: how === "success",
    });
  }

  /** Without completed progress a call is a success like any other, and only a probe fails by it. */
  emptyMeans(): "success" | "empty" {
    this.reference.pass(this.now);
    return this.reference.phase === "CLOSED" ? "success" : "empty";
  }

  renew(which: number): { readonly real: unknown; readonly expected: unknown } {
    const pair = this.out[which % Math.max(1, this.out.length)];
    if (pair === undefined) return this.look();
    const expected = this.reference.renew(pair.reference, this.now);
    return { real: pair.real.renew(), expected };
  }
}

it("[BR-2] [BR-3] [BR-6] [BR-8] [BR-9] [BR-10] [BR-11] the breaker does what a plain automaton written from the rules does, under any calls, results, waits and looks", () => {
  let openings = 0;
  let closings = 0;
  fc.assert(
    fc.property(commands, (steps) => {
      const race = new Race();
      for (const step of steps) {
        const { real, expected } = race.run(step);
        expect(real).toEqual(expected);
      }
      const types = race.bench.types();
      openings += types.filter((type) => type === "breaker.open").length;
      closings += types.filter((type) => type === "breaker.close").length;
      race.bench.set.close();
    }),
    { numRuns: 300 },
  );
  // The control: such sequences do go round the whole automaton.
  expect(openings).toBeGreaterThan(100);
  expect(closings).toBeGreaterThan(5);
});

it("[BR-8] looking changes nothing: with and without views in between the same calls are admitted", () => {
  const admissions = (steps: readonly Command[], looks: boolean): readonly boolean[] => {
    const { set, clock } = bench();
    const out: Permit[] = [];
    const seen: boolean[] = [];
    for (const step of steps) {
      if (looks) set.view();
      if (step.type === "wait") clock.advance(step.ms);
      if (step.type === "acquire") {
        const admission = set.acquire([tool]);
        seen.push(admission.allowed);
        if (admission.allowed) out.push(admission.permit);
      }
      if (step.type === "end") out.shift()?.end(step.how === "success" ? "success" : failure);
    }
    set.close();
    return seen;
  };
  fc.assert(
    fc.property(commands, (steps) => {
      expect(admissions(steps, true)).toEqual(admissions(steps, false));
    }),
  );
});
