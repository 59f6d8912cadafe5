import type { EventOf } from "@bridle/protocol";

import { planOf } from "./plan.ts";
import type { RunStore } from "./run-store.ts";
import { awaitedBy, waitersOn } from "./stand-ins.ts";

/**
 * A simpler flow steps in: its task appears, and whoever waits for a task it replaces waits for it as well. What becomes of the
 * replaced tasks themselves is said by the events after this one.
 */
export function applyDegradation(store: RunStore, event: EventOf<"run.degraded">): void {
  const { head } = store;
  const { by, replaced } = event;
  const spec = planOf(head.workflow).task.get(by);
  if (spec === undefined || store.get(by) !== undefined) return;
  head.degradations = [...(head.degradations ?? []), { by, replaced }];
  const standIn = store.edit(by);
  if (standIn === undefined) return;
  standIn.waitsFor = awaitedBy(store, spec);
  head.open += 1;
  for (const id of waitersOn(head, by)) {
    const waiter = store.edit(id);
    if (waiter !== undefined) waiter.waitsFor += 1;
  }
}
