import { describe, expect, it } from "vitest";

import { deaths } from "./leak-replay.ts";
import { leakOf, replicas } from "./leak.ts";

const cap = 64;

describe("eight replicas call a provider that dies", () => {
  it.each(deaths)(
    "[BR-16] by %s: local breakers let no more out than their caps, and after the first opening two probes each",
    (death) => {
      const { before, after, mostOut } = leakOf("ours", death);
      expect(mostOut).toBeLessThanOrEqual(replicas * cap);
      // What was out when the first opened, and what the others let out until they had seen it themselves.
      expect(before).toBeLessThanOrEqual(2 * replicas * cap);
      expect(after).toBeLessThanOrEqual(replicas * 2 * 2);
    },
  );

  it("by errors: verdicts that are ten seconds old let tens of thousands through after the opening", () => {
    // The control: the same calls, and the same rule for opening.
    const { before, after } = leakOf("verdicts ten seconds old", "errors");
    expect(before).toBeLessThan(replicas * cap);
    expect(after).toBeGreaterThan(20_000);
  });
});
