/** What `leak` compares: nothing, verdicts that come round every ten seconds, and a breaker of ours in each replica. */
import { BreakerSet, routeOutcome } from "@bridle/breaker";
import type { BreakerSettings } from "@bridle/breaker";
import type { Clock } from "@bridle/kernel";
import { seededRandom, type SimulatedClock } from "@bridle/kernel/testing";

import type { FleetBreaker } from "./leak-replay.ts";

const keys = ["provider:acme/small"];
/** The window of inconsistency that the compromise of a shared service allows. */
const reconcileMs = 10_000;
const failed = routeOutcome({ kind: "model", outcome: "server_error" });

export function noBreaker(): FleetBreaker {
  return { begin: () => () => undefined, hasOpened: false };
}

/** One breaker hears of every call of the fleet; a replica goes by what it last heard of it, ten seconds ago at most. */
export function reconciledBreaker(replicas: number) {
  return (clock: SimulatedClock): FleetBreaker => {
    const central = countedSet(clock, { inFlightCap: 1_000_000 });
    const isOpenFor = Array.from({ length: replicas }, () => false);
    const heardMs = isOpenFor.map((_, replica) => (replica * reconcileMs) / replicas - reconcileMs);
    return {
      begin: (replica) => {
        const nowMs = clock.monotonicMs();
        if (nowMs - (heardMs[replica] ?? 0) >= reconcileMs) {
          heardMs[replica] = nowMs;
          isOpenFor[replica] = !central.set.peek(keys).allowed;
        }
        if (isOpenFor[replica] === true) return undefined;
        return endOf(central.set) ?? (() => undefined);
      },
      get hasOpened() {
        return central.opened > 0;
      },
    };
  };
}

/** A process each, with no word between them. */
export function localBreakers(replicas: number, settings: Partial<BreakerSettings> = {}) {
  return (clock: SimulatedClock): FleetBreaker => {
    const sets = Array.from({ length: replicas }, () => countedSet(clock, settings));
    return {
      begin: (replica) => {
        const own = sets[replica];
        return own === undefined ? undefined : endOf(own.set);
      },
      get hasOpened() {
        return sets.some(({ opened }) => opened > 0);
      },
    };
  };
}

function countedSet(clock: Clock, settings: Partial<BreakerSettings>) {
  const counted = { opened: 0 };
  const set = new BreakerSet({
    clock,
    random: seededRandom(1),
    settings,
    emit: ({ type }) => {
      if (type === "breaker.open") counted.opened += 1;
    },
  });
  return {
    set,
    get opened() {
      return counted.opened;
    },
  };
}

function endOf(set: BreakerSet): ((isFailure: boolean) => void) | undefined {
  const admission = set.acquire(keys);
  if (!admission.allowed) return undefined;
  return (isFailure) =>
    admission.permit.end(isFailure ? failed : "success", { completedProgress: !isFailure });
}
