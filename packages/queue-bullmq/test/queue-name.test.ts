import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { queueName } from "../src/queue-name.ts";

describe("the queue of an agent", () => {
  it("has a name BullMQ takes: no colon, never empty, never only digits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (agent) => {
        expect(queueName(agent)).toMatch(/^agent-[^:]*$/);
      }),
    );
  });

  it("is another for each agent", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, two) => {
        expect(queueName(one) === queueName(two)).toBe(one === two);
      }),
    );
  });
});
