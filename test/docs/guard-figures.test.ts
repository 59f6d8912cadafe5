/** The worked examples of `docs/guards.md`, played on the breaker as shipped. */
import { BreakerSet } from "@bridle/breaker";
import type { BreakerSettings, Permit } from "@bridle/breaker";
import { SimulatedClock } from "@bridle/kernel/testing";
import { expect, it } from "vitest";

import { readPage } from "./markdown.ts";

const key = "provider:acme/large";
const hourMs = 3_600_000;

function end(permit: Permit, isFailure: boolean): void {
  const verdict = { tool: "ignored", agent: "ignored", provider: "failure" } as const;
  if (isFailure) permit.end({ ...verdict, failureKind: "server_error" });
  else permit.end("success", { completedProgress: true });
}

interface Traffic {
  readonly everyMs: number;
  readonly forMs: number;
  /** Whether the call of this number, from 1, fails. */
  readonly fails: (call: number) => boolean;
  /** How long a call is under way. */
  readonly takesMs?: number;
  readonly settings?: Partial<BreakerSettings>;
}

/** Asks at a fixed pace. Calls that were let out in all, and before the first opening; Infinity when nothing opened. */
function played({ everyMs, forMs, fails, takesMs = 0, settings = {} }: Traffic): {
  readonly sent: number;
  readonly sentBeforeOpening: number;
} {
  const clock = new SimulatedClock();
  let sent = 0;
  let sentBeforeOpening = Number.POSITIVE_INFINITY;
  const breakers = new BreakerSet({
    clock,
    random: { next: () => 0.5 },
    settings,
    emit: ({ type }) => {
      if (type === "breaker.open") sentBeforeOpening = Math.min(sentBeforeOpening, sent);
    },
  });
  for (let passed = 0; passed < forMs; passed += everyMs) {
    const admission = breakers.acquire([key]);
    if (admission.allowed) {
      const isFailure = fails((sent += 1));
      if (takesMs === 0) end(admission.permit, isFailure);
      else clock.setTimer(takesMs, () => end(admission.permit, isFailure));
    }
    clock.advance(everyMs);
  }
  breakers.close();
  return { sent, sentBeforeOpening };
}

const all = (): boolean => true;
const each =
  (count: number) =>
  (call: number): boolean =>
    call % count === 0;
const opensAfter = (traffic: Omit<Traffic, "forMs">): number =>
  played({ forMs: hourMs, ...traffic }).sentBeforeOpening;

it.each([
  ["all fail, one a second", { everyMs: 1000, fails: all }, 5],
  ["every second fails, one a second", { everyMs: 1000, fails: each(2) }, 10],
  ["every third fails", { everyMs: 1000, fails: each(3) }, Infinity],
  ["one each 6 s, every second fails", { everyMs: 6000, fails: each(2) }, 10],
  ["one a minute, every second fails", { everyMs: 60_000, fails: each(2) }, 10],
  ["one each 70 s, every second fails", { everyMs: 70_000, fails: each(2) }, Infinity],
  ["one each 10 minutes, all fail", { everyMs: 600_000, fails: all }, 5],
])("[BR-2] [BR-3] %s: opens as the page says", (_, traffic, calls) => {
  expect(opensAfter(traffic)).toBe(calls);
});

it("[BR-11] an hour's outage costs five calls and nine tries", () => {
  expect(played({ everyMs: 1000, forMs: hourMs, fails: all }).sent).toBe(5 + 9);
});

it("[BR-16] of calls that hang for two minutes 68 are lost; the control without a cap loses 6,000", () => {
  const hanging = { everyMs: 20, forMs: 125_000, fails: all, takesMs: 120_000 };
  expect(played(hanging).sentBeforeOpening).toBe(68);
  expect(played({ ...hanging, settings: { inFlightCap: 32 } }).sentBeforeOpening).toBe(36);
  const uncapped = played({ ...hanging, settings: { inFlightCap: 1_000_000 } }).sentBeforeOpening;
  expect(uncapped).toBeGreaterThan(6000);
  expect(uncapped).toBeLessThan(6010);
});

it("the page has the steps that the budget's own tests count [BU-10]", () => {
  const { text } = readPage("docs/guards.md");
  const steps = [...text.matchAll(/\| \d,\d{3} +\| (\d+) +\|$/gm)].map(([, count]) => count);
  expect(steps).toEqual(["250", "225", "224", "375", "113"]);
});
