import { expect, it } from "vitest";

import { bench, repeat } from "./support.ts";

const umbrella = "provider:acme";
/** So that rates alone open. */
const rates = { settings: { consecutiveFailures: 1000 } };

it("[BR-13] a model that comes out well is no second source of failures", () => {
  const world = bench(rates);
  repeat(10, () => {
    world.call("failure", { key: `${umbrella}/one` });
    world.call("success", { key: `${umbrella}/two` });
  });
  expect(world.view(`${umbrella}/one`).state).toBe("OPEN");
  expect(world.view(umbrella).state).toBe("CLOSED");
  world.set.close();
});

it.each([
  { seconds: 59, calls: 9, state: "OPEN" },
  { seconds: 60, calls: 10, state: "CLOSED" },
])(
  "[BR-13] another model's failure counts for as long as the window: after $seconds s $state",
  (row) => {
    const world = bench({ settings: { ...rates.settings, slowSpan: 60_001 } });
    world.call("failure", { key: `${umbrella}/two` });
    world.clock.advance(row.seconds * 1000);

    repeat(row.calls, () => world.call("failure", { key: `${umbrella}/one` }));
    expect(world.view(umbrella).state).toBe(row.state);
    world.set.close();
  },
);

it("[BR-3] a completed task does not start a row of failing calls again", () => {
  const key = "agent:w/writer";
  const world = bench();
  const task = world.set.watchTask([key]);
  repeat(4, () => world.call("failure", { key }));
  task.end("success");

  world.call("failure", { key });

  expect(world.view(key).state).toBe("OPEN");
  world.set.close();
});
