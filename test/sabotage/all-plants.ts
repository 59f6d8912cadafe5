import type { Plant } from "./plant.ts";
import { breakerPlants } from "./plants/breaker.ts";
import { budgetPlants } from "./plants/budget.ts";
import { executionPlants } from "./plants/execution.ts";
import { firstLinePlants } from "./plants/first-lines.ts";
import { guardPlants } from "./plants/guards.ts";
import { isolatePlants } from "./plants/isolates.ts";
import { protocolPlants } from "./plants/protocol.ts";
import { schedulingPlants } from "./plants/scheduling.ts";
import { spawningPlants } from "./plants/spawning.ts";
import { watchdogPlants } from "./plants/watchdog.ts";

/** In the order in which they are planted: the quick ones first. */
export const allPlants: readonly Plant[] = [
  ...guardPlants,
  ...breakerPlants,
  ...watchdogPlants,
  ...isolatePlants,
  ...budgetPlants,
  ...schedulingPlants,
  ...spawningPlants,
  ...executionPlants,
  ...protocolPlants,
  ...firstLinePlants,
];
