import type { BreakerWord } from "@bridle/dag";
import type { EventOf, FleetEvent } from "@bridle/protocol";

/** Transitions of a breaker that say no more than that they happened. */
const plainWords = {
  "breaker.half_open": "half_opened",
  "breaker.probe": "probed",
  "breaker.close": "closed",
} as const;

/** A fleet event as the parking lot hears it; undefined for what says nothing about parking. `now`: wall ms by this scheduler. */
export function wordOf(event: FleetEvent, now: number): BreakerWord | undefined {
  if (event.type === "breaker.open") return openedWord(event, now);
  if (!isPlain(event)) return undefined;
  const { key, bootId, at } = event;
  return { type: plainWords[event.type], breaker: key, teller: bootId, at };
}

/** A breaker of a worker whose clock is ahead is not shut for longer than its cooldown from now. */
function openedWord({ key, bootId, at, cooldownMs }: EventOf<"breaker.open">, now: number) {
  const until = Math.min(at, now) + cooldownMs;
  return { type: "opened", breaker: key, teller: bootId, at, until } as const;
}

function isPlain(event: FleetEvent): event is EventOf<keyof typeof plainWords> {
  return Object.hasOwn(plainWords, event.type);
}
