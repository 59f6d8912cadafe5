import fc from "fast-check";
import { expect, it } from "vitest";

import type { Permit } from "../src/index.ts";
import { bench, failure, tool } from "./support.ts";

const command = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ type: "acquire" } as const) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("end" as const), succeeds: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("wait" as const),
      ms: fc.constantFrom(1, 5000, 29_999, 30_000, 60_000, 61_000, 600_000),
    }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

function admissions(steps: readonly Command[], looks: boolean): readonly boolean[] {
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
    if (step.type === "end") out.shift()?.end(step.succeeds ? "success" : failure);
  }
  set.close();
  return seen;
}

it("[BR-8] looking changes nothing: with and without views in between the same calls are admitted", () => {
  let refusals = 0;
  const commands = fc.array(command, { minLength: 50, maxLength: 200, size: "max" });
  fc.assert(
    fc.property(commands, (steps) => {
      const looked = admissions(steps, true);
      expect(looked).toEqual(admissions(steps, false));
      refusals += looked.filter((isAdmitted) => !isAdmitted).length;
    }),
  );
  expect(refusals).toBeGreaterThan(100);
});
