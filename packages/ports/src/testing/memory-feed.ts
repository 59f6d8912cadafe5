import type { Feed, FeedChannel } from "../feed.ts";

type Handler = (detail: string) => void;

/**
 * `Feed` in one process. Delivers in a later microtask, never inside the publisher's call; handlers are isolated from
 * each other (a throwing one surfaces as an unhandled rejection). `off` delivers nothing, as a broken connection would.
 */
export function memoryFeed(mode: "on" | "off"): Feed {
  const handlers = new Map<FeedChannel, Set<Handler>>();
  return {
    publish: async (channel, detail) => {
      if (mode === "off") return;
      for (const handler of handlers.get(channel) ?? []) void deliver(handler, detail);
    },
    subscribe: (channel, handler) => {
      // An own function per subscription: the same handler may subscribe twice and leave once.
      const subscription: Handler = (detail) => handler(detail);
      const subscribers = handlers.get(channel) ?? new Set();
      handlers.set(channel, subscribers.add(subscription));
      return () => subscribers.delete(subscription);
    },
  };
}

async function deliver(handler: Handler, detail: string): Promise<void> {
  await Promise.resolve();
  handler(detail);
}
