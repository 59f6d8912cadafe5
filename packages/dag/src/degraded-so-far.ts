import type { RunStore } from "./run-store.ts";
import { forEachState } from "./run-walk.ts";

/** Everything that was done in place of what was asked for, each once: by the run's flows first, then by its tasks (D5). */
export function degradedSoFar(store: RunStore): ReadonlySet<string> {
  const degraded = new Set(
    (store.head.degradations ?? []).map(
      ({ by, replaced }) => `flow:${by} instead of ${listed(replaced)}`,
    ),
  );
  forEachState(store, (_, state) => {
    for (const each of state.degraded ?? []) degraded.add(each);
  });
  return degraded;
}

/** A workflow may have ten thousand tasks; a sentence may not. */
const mostNamed = 20;

function listed(ids: readonly string[]): string {
  const more = ids.length - mostNamed;
  return `${ids.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
