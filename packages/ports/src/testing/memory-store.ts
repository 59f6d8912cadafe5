import type { Clock } from "@bridle/kernel";
import { bridleError } from "@bridle/protocol";

import type { Store } from "../store.ts";
import { memoryAttempts } from "./memory-attempts.ts";
import { checkpointOf } from "./memory-checkpoint.ts";
import { memoryFeed } from "./memory-feed.ts";
import { memoryFleetLog } from "./memory-fleet-log.ts";
import { memoryInbox } from "./memory-inbox.ts";
import { memoryLeases } from "./memory-leases.ts";
import { memoryLedger } from "./memory-ledger.ts";
import { memoryOutbox } from "./memory-outbox.ts";
import { memoryResultCache } from "./memory-result-cache.ts";
import { memoryRunIndex } from "./memory-run-index.ts";
import { memoryRunLog } from "./memory-run-log.ts";
import { initialMemoryState } from "./memory-state.ts";
import type { MemoryState } from "./memory-state.ts";
import { memorySteps } from "./memory-steps.ts";
import { memoryTimers } from "./memory-timers.ts";

export interface MemoryStoreOptions {
  /** Dates leases (monotonic) and fences (wall). */
  readonly clock: Clock;
  /** `off`: no wake-up is ever delivered. Default `on`. */
  readonly feed?: "on" | "off" | undefined;
  /** Fleet events kept. Default 1,000. */
  readonly fleetCapacity?: number | undefined;
  /** Alerts kept. Default 1,000. */
  readonly alertCapacity?: number | undefined;
}

export interface MemoryStore extends Store {
  /** From now on every operation rejects with `store_unavailable`, as with a cut connection; what is stored stays. */
  disconnect(): void;
  reconnect(): void;
  /** What stands in the store, without a call that could fail or wait: for tests that judge. Never change it. */
  readonly state: MemoryState;
  /** Remembers how everything stands; the function it returns puts it back, as a store does that lost its tail. */
  checkpoint(): () => void;
}

type Method = (...args: unknown[]) => unknown;

/** Every state port on shared memory, atomic as the real stores are. Outlives the "processes" of a test that use it. */
export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  let connected = true;
  const isConnected = (): boolean => connected;
  const feed = memoryFeed(options.feed ?? "on");
  const state = initialMemoryState({
    clock: options.clock,
    publish: (channel, detail) => void feed.publish(channel, detail),
  });
  const gate = <Port extends object>(port: Port): Port => gated(port, isConnected);
  return {
    runs: gate(memoryRunLog(state)),
    index: gate(memoryRunIndex(state)),
    attempts: gate(memoryAttempts(state)),
    steps: gate(memorySteps(state)),
    ledger: gate(memoryLedger(state)),
    inbox: gate(memoryInbox(state)),
    timers: gate(memoryTimers(state)),
    leases: gate(memoryLeases(state)),
    feed,
    fleet: gate(memoryFleetLog(state, options.fleetCapacity ?? 1000)),
    outbox: gate(memoryOutbox(state, options.alertCapacity ?? 1000)),
    cache: gate(memoryResultCache()),
    ping: async () => {
      if (!connected) throw bridleError("store_unavailable");
    },
    close: async () => {
      connected = false;
    },
    disconnect: () => {
      connected = false;
    },
    reconnect: () => {
      connected = true;
    },
    state,
    checkpoint: () => checkpointOf(state),
  };
}

/** The same port, each of whose methods rejects while the store is cut off. Contract: all members are async methods. */
function gated<Port extends object>(port: Port, isConnected: () => boolean): Port {
  const members = Object.entries(port).map(([name, method]: [string, Method]) => [
    name,
    (...args: unknown[]): unknown =>
      isConnected() ? method(...args) : Promise.reject(bridleError("store_unavailable")),
  ]);
  return Object.fromEntries(members) as Port;
}
