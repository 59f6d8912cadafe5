import type { Feed, Store } from "@bridle/ports";

import type { Actor } from "./actor.ts";
import type { SimulationTime } from "./simulation-time.ts";
import type { Weather } from "./weather.ts";

type PortName = Exclude<keyof Store, "feed" | "ping" | "close">;

/** A record, so that a new port cannot be forgotten. */
const portNames: Readonly<Record<PortName, true>> = {
  runs: true,
  index: true,
  attempts: true,
  steps: true,
  ledger: true,
  inbox: true,
  timers: true,
  leases: true,
  fleet: true,
  cache: true,
  outbox: true,
};

type Method = (...args: unknown[]) => unknown;
type Effect = () => Promise<unknown>;

/** The store as one process reaches it. */
export function actorStore(store: Store, actor: Actor, feed: Feed): Store {
  const ports = Object.keys(portNames).map((name) => {
    // Its keys are the port names, and all members of a port are async methods.
    const port = store[name as PortName] as unknown as Record<string, Method>;
    const calls = Object.entries(port).map(([method, run]): [string, Method] => [
      method,
      // The effect and its answer are promises of the port: another one around each would only cost.
      (...args) => actor.call((() => run(...args)) as Effect),
    ]);
    return [name, Object.fromEntries(calls)];
  });
  return {
    ...(Object.fromEntries(ports) as Pick<Store, PortName>),
    feed,
    ping: async () => actor.call(async () => store.ping()),
    close: async () => {},
  };
}

/** Wake-ups as one process hears them: late, twice, out of order, or not at all. */
export function actorFeed(
  feed: Feed,
  actor: Actor,
  { time, weather }: { readonly time: SimulationTime; readonly weather: Weather },
): Feed {
  return {
    publish: async (channel, detail) => actor.call(async () => feed.publish(channel, detail)),
    subscribe: (channel, handler) => {
      const unsubscribe = feed.subscribe(channel, (detail) => {
        const { copies, delayMs } = weather.delivery("feed");
        for (let copy = 0; copy < copies; copy++) {
          const ms = delayMs();
          const deliver = (): void => actor.hear(() => handler(detail));
          if (ms > 0) time.at(time.nowMs + ms, deliver);
          else deliver();
        }
      });
      void actor.died.then(unsubscribe);
      return unsubscribe;
    },
  };
}
