import { expect, it } from "vitest";

import { fleetPages } from "../src/index.ts";
import type { FleetLog } from "../src/index.ts";

/** A log of so many entries, which says where it was asked from. */
function logOf(count: number): Pick<FleetLog, "read"> & { readonly asked: number[] } {
  const asked: number[] = [];
  return {
    asked,
    read: async ({ afterId, limit }) => {
      asked.push(afterId);
      const ids = Array.from({ length: count }, (_, index) => index + 1);
      const event = { type: "breaker.probe" } as never;
      return ids
        .filter((id) => id > afterId)
        .slice(0, limit)
        .map((id) => ({ id, event }));
    },
  };
}

it.each([
  [0, 3, [0]],
  [2500, 2500, [2500]],
  [0, 1000, [0, 1000]],
  [0, 2500, [0, 1000, 2000]],
])("entries after %i of %i are read once each, page by page", async (afterId, count, asked) => {
  const log = logOf(count);
  const ids: number[] = [];
  for await (const page of fleetPages(log, afterId)) ids.push(...page.map(({ id }) => id));
  expect(ids).toEqual(Array.from({ length: count - afterId }, (_, index) => afterId + index + 1));
  expect(log.asked).toEqual(asked);
});
