import type { Permit } from "@bridle/breaker";
import fc from "fast-check";
import { expect, it } from "vitest";

import { bench, failure, tool } from "../../packages/breaker/test/support.ts";
import type { Bench } from "../../packages/breaker/test/support.ts";
import { BreakerAutomaton } from "./breaker-automaton.ts";
import type { AutomatonPermit } from "./breaker-automaton.ts";
import { outcomesOpen } from "./window-filter.ts";

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
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("force" as const), ms: fc.constantFrom(1, 60_000) }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

const commands = fc.array(command, { minLength: 50, maxLength: 200, size: "max" });

const by = { actor: "ada", reason: "maintenance" };

interface Pair {
  readonly real: Permit;
  readonly expected: AutomatonPermit;
}

interface Answers {
  readonly real: unknown;
  readonly expected: unknown;
}

/** The breaker and an automaton, told the same. */
class Race {
  readonly bench: Bench = bench();
  readonly #automaton: BreakerAutomaton;
  readonly #out: Pair[] = [];

  constructor(automaton: BreakerAutomaton) {
    this.#automaton = automaton;
  }

  get now(): number {
    return this.bench.clock.monotonicMs();
  }

  /** What the two say after a step; they must say the same. */
  run(step: Command): Answers {
    switch (step.type) {
      case "wait":
        this.bench.clock.advance(step.ms);
        return this.#look();
      case "acquire":
        return this.#acquire();
      case "renew":
        return this.#renew(step.which);
      case "end":
        this.#end(step.which, step.how);
        return this.#look();
      case "force":
        this.bench.set.force(tool, { state: "FORCED_OPEN", ...by, forMs: step.ms });
        this.#automaton.forceOpen(this.now, step.ms);
        return this.#look();
    }
  }

  #look(): Answers {
    const { phase, untilMs } = this.#automaton.at(this.now);
    const expected = { state: phase, waitMs: phase === "OPEN" ? untilMs - this.now : 0 };
    const [view] = this.bench.set.view();
    const state = view?.state ?? "CLOSED";
    return { real: { state, waitMs: state === "OPEN" ? view?.retryAfterMs : 0 }, expected };
  }

  #acquire(): Answers {
    const expected = this.#automaton.acquire(this.now);
    const real = this.bench.set.acquire([tool]);
    if (real.allowed && expected !== undefined) this.#out.push({ real: real.permit, expected });
    return { real: real.allowed, expected: expected !== undefined };
  }

  #end(which: number, how: (typeof outcomes)[number]): void {
    const [pair] = this.#out.splice(which % Math.max(1, this.#out.length), 1);
    if (pair === undefined) return;
    this.#automaton.end(pair.expected, how, this.now);
    const outcome = {
      success: "success",
      empty: "success",
      failure,
      giveBack: "giveBack",
    } as const;
    pair.real.end(outcome[how], { completedProgress: how === "success" });
  }

  #renew(which: number): Answers {
    const pair = this.#out[which % Math.max(1, this.#out.length)];
    if (pair === undefined) return this.#look();
    return { expected: this.#automaton.renew(pair.expected, this.now), real: pair.real.renew() };
  }
}

function law(newAutomaton: () => BreakerAutomaton, told: (types: readonly string[]) => void) {
  return fc.property(commands, (steps) => {
    const race = new Race(newAutomaton());
    for (const step of steps) {
      const { real, expected } = race.run(step);
      expect(real).toEqual(expected);
    }
    told(race.bench.types());
    race.bench.set.close();
  });
}

it("[BR-2] [BR-3] [BR-6] [BR-8] [BR-9] [BR-10] [BR-11] [BR-12] the breaker does what a plain automaton written from the rules does, under any calls, results, waits, looks and hands put on it", () => {
  const seen = new Map<string, number>();
  const told = (types: readonly string[]): void => {
    for (const type of types) seen.set(type, (seen.get(type) ?? 0) + 1);
  };
  fc.assert(
    law(() => new BreakerAutomaton(), told),
    { numRuns: 400 },
  );
  // Such sequences do go round the whole automaton.
  expect(seen.get("breaker.open")).toBeGreaterThan(100);
  expect(seen.get("breaker.close")).toBeGreaterThan(5);
});

const broken: Readonly<Record<string, new () => BreakerAutomaton>> = {
  "[BR-11] no cooldown were doubled": class extends BreakerAutomaton {
    protected override open(atMs: number): void {
      this.openings = 0;
      super.open(atMs);
    }
  },
  "[BR-6] a late result counted": class extends BreakerAutomaton {
    override end(...[permit, how, nowMs]: Parameters<BreakerAutomaton["end"]>): void {
      this.at(nowMs).out.add(permit);
      super.end(permit, how, nowMs);
    }
  },
  "[BR-8] a third probe were let out": class extends BreakerAutomaton {
    override acquire(nowMs: number): AutomatonPermit | undefined {
      const { phase, outcomes: ended, out } = this.at(nowMs);
      if (phase !== "HALF_OPEN" || ended.length + out.size !== 2) return super.acquire(nowMs);
      const permit = { renewedMs: nowMs };
      out.add(permit);
      return permit;
    }
  },
  "[BR-9] a probe's lease never lapsed": class extends BreakerAutomaton {
    override at(nowMs: number) {
      for (const permit of this.episode.out) permit.renewedMs = nowMs;
      return super.at(nowMs);
    }
  },
  "[BR-10] the first calls after a recovery were judged like all others": class extends BreakerAutomaton {
    protected override mustOpen(nowMs: number): boolean {
      return outcomesOpen(this.episode.outcomes, nowMs);
    }
  },
  "[BR-3] five failures in a row did not open it": class extends BreakerAutomaton {
    protected override mustOpen(nowMs: number): boolean {
      return this.episode.outcomes.length >= 10 && super.mustOpen(nowMs);
    }
  },
};

it.each(Object.keys(broken))("control: it would be noticed if %s", (fault) => {
  const Broken = broken[fault] ?? BreakerAutomaton;
  const { failed } = fc.check(
    law(
      () => new Broken(),
      () => {},
    ),
    { numRuns: 3000, endOnFailure: true },
  );
  expect(failed).toBe(true);
});
