import { expect, it } from "vitest";

import { until } from "../until.ts";

it("waits until the condition holds, and no longer", async () => {
  let asked = 0;
  await until(() => (asked += 1) === 3);
  expect(asked).toBe(3);
});

it("out of time it says what was awaited, for how long, and what was seen last", async () => {
  const seen = { tasks: 2 };
  const failure = until(() => (seen.tasks === 3 ? true : undefined), { withinMs: 20 });
  await expect(failure).rejects.toThrow(
    /^Waited \d+ ms for: seen\.tasks === 3 \? true : (undefined|void 0)\. It last said undefined\.$/,
  );
  const named = until(() => "", { withinMs: 20, what: "the last task" });
  await expect(named).rejects.toThrow(/for: the last task\. It last said ''\.$/);
});

it("also when the condition itself hangs", async () => {
  const hangs = until(async () => new Promise(() => {}), { withinMs: 20, what: "an answer" });
  await expect(hangs).rejects.toThrow(/^Waited \d+ ms for: an answer/);
});

it("ends at once with the error of a condition that throws", async () => {
  const gone = until(() => {
    throw new Error("The process has ended.");
  });
  await expect(gone).rejects.toThrow("The process has ended.");
});

it("speaks before the test's own time is over", { timeout: 1500 }, async () => {
  await expect(until(() => false)).rejects.toThrow(/^Waited \d+ ms for: false/);
});
