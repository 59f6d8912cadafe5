/** For `setupFiles`: a test file that leaves a timer, a socket, a server or a child behind fails, and says which. */
import { afterAll, beforeAll } from "vitest";

import { baseline, beforeFile, leaksAfter } from "./no-leaks.ts";
import type { Baseline } from "./no-leaks.ts";

let before: Baseline;

beforeAll(() => {
  before = beforeFile(baseline());
});

// Registered first, so it runs last: whatever the file itself tears down is gone by then.
afterAll(async () => {
  const leaks = await leaksAfter(before);
  if (leaks.length > 0) throw new Error(`This file leaves behind: ${leaks.join(", ")}.`);
});
