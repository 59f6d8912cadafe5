import { createBus } from "@bridle/bus";
import { SimulatedClock } from "@bridle/kernel/testing";
import { expect, it } from "vitest";

import { governRuns } from "../src/compose/govern-runs.ts";
import type { GovernRunsOptions } from "../src/compose/govern-runs.ts";

function governed(governor: NonNullable<GovernRunsOptions["config"]["guards"]>["governor"]) {
  const clock = new SimulatedClock();
  const bus = createBus({ onHandlerError: () => {} });
  const events: unknown[] = [];
  bus.onAny((event) => void events.push(event));
  return { clock, events, governRun: governRuns({ config: { guards: { governor } }, clock, bus }) };
}

it("[GV-1] an API key submits as many runs a minute as it may, and another is not held up by it", () => {
  const { clock, governRun } = governed({ runsPerMinute: 2 });
  governRun("key-1");
  governRun("key-1");
  expect(() => governRun("key-1")).toThrowError(
    expect.objectContaining({
      code: "rate_governed",
      message:
        'The API key "key-1" submits runs faster than the governor allows. Try again in 60000 ms.',
      details: { retryAfterMs: 60_000 },
    }),
  );
  governRun("key-2");
  clock.advance(60_000);
  governRun("key-1");
});

it("[GV-1] what came to no run is given back", () => {
  const { governRun } = governed({ runsPerMinute: 1 });
  for (let submits = 0; submits < 5; submits++) governRun("key-1")();
  governRun("key-1");
  expect(() => governRun("key-1")).toThrow("faster than the governor allows");
});

it("[GC-4] a governor that warns lets the run in and tells of it; one that is off tells nothing", () => {
  const warns = governed({ mode: "warn", runsPerMinute: 1 });
  warns.governRun("key-1");
  warns.governRun("key-1");
  expect(warns.events).toMatchObject([
    { type: "would_refuse_run", apiKey: "key-1", retryAfterMs: 60_000 },
  ]);
  const off = governed({ mode: "off", runsPerMinute: 1 });
  off.governRun("key-1");
  off.governRun("key-1");
  expect(off.events).toEqual([]);
});
