import { SimulatedClock, seededRandom } from "@bridle/kernel/testing";
import { expect, it } from "vitest";

import { BreakerSet, routeOutcome } from "../src/index.ts";

const key = "agent:demo/writer";

it.each([
  { tokens: Number.NaN },
  { tokens: -1 },
  { tokens: Number.POSITIVE_INFINITY },
  { retryAfterMs: Number.NaN },
  { retryAfterMs: -5 },
])(
  "[BR-4] [BR-11] what a call reports that is no figure says nothing, and is counted: %j",
  (facts) => {
    const clock = new SimulatedClock();
    const set = new BreakerSet({ clock, random: seededRandom(1), emit: () => {} });
    const failure = routeOutcome({ kind: "model", outcome: "bad_request" });
    for (let calls = 0; calls < 5; calls++) {
      const answer = set.acquire([key]);
      if (answer.allowed) answer.permit.end(failure, facts);
    }
    const view = set.view().find((one) => one.key === key);
    expect(view).toMatchObject({ state: "OPEN", totals: { tokens: 0, failures: 5 } });
    expect(view?.counts.unsound).toBe(5);
    expect(view?.retryAfterMs).toBeGreaterThanOrEqual(27_000);
    expect(view?.retryAfterMs).toBeLessThanOrEqual(33_000);
    set.close();
  },
);
