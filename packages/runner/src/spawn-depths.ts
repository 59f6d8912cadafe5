import type { AnyAgent } from "@bridle/agent";
import { spawnCapRanges } from "@bridle/protocol";

import { waitingPerSlot } from "./worker/task-slots.ts";

type Spawner = Pick<AnyAgent, "name" | "spawns">;

/**
 * At which depths tasks of each agent may turn up: 0 for all, and one deeper than that of an agent that spawns it, as deep as any
 * workflow may allow.
 */
export function spawnDepths(agents: readonly Spawner[]): ReadonlyMap<string, readonly number[]> {
  const depths = new Map<string, number[]>(agents.map(({ name }) => [name, [0]]));
  const spawnsOf = new Map(agents.map(({ name, spawns }) => [name, spawns]));
  let present: ReadonlySet<string> = new Set(depths.keys());
  for (let depth = 1; depth <= spawnCapRanges.maxDepth.max && present.size > 0; depth += 1) {
    const below = new Set([...present].flatMap((name) => spawnsOf.get(name) ?? []));
    for (const name of below) depths.get(name)?.push(depth);
    present = below;
  }
  return depths;
}

/** Most attempts that a worker of these agents has in hand at once: how many watches its scanner needs. */
export function mostAttempts(agents: readonly (Spawner & Pick<AnyAgent, "concurrency">)[]): number {
  const depths = spawnDepths(agents);
  return agents.reduce((sum, { name, concurrency, spawns }) => {
    const perDepth = concurrency * (spawns.length === 0 ? 1 : 1 + waitingPerSlot);
    return sum + (depths.get(name)?.length ?? 1) * perDepth;
  }, 0);
}
