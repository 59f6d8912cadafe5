import type { EventOf } from "@bridle/protocol";

import { countSpawned } from "./change-task.ts";
import type { RunStore } from "./run-store.ts";

/** Its parent counts it, and from then on it is there: PENDING, until it is scheduled. */
export function applySpawn(store: RunStore, event: EventOf<"task.spawned">): void {
  const { taskId, parent, parentAttempt, agent, key, digest, limit, stepMs, taskMs, retry } = event;
  if (store.get(taskId) !== undefined) return;
  countSpawned(store, parent, { total: 1, live: 1 });
  const task = store.edit(taskId);
  if (task === undefined) return;
  Object.assign(task, {
    spawned: {
      parentAttempt,
      agent,
      key,
      digest,
      limit,
      ...(stepMs === undefined ? {} : { stepMs }),
      ...(taskMs === undefined ? {} : { taskMs }),
      ...(retry === undefined ? {} : { retry }),
    },
  });
}
