/**
 * A provider dies under a fleet: who still calls it, and how often. Virtual time, no chance: the same figures everywhere.
 *
 * Each replica begins its calls at a steady rate, the replicas between each other. A call of the healthy minute takes 50 ms; from then on
 * each is an error after as long, or nothing is heard until the client gives up after a minute.
 */
import { SimulatedClock } from "@bridle/kernel/testing";

export const deaths = ["errors", "silence"] as const;
export type Death = (typeof deaths)[number];

/** Ends a call that was let through. */
export type EndCall = (isFailure: boolean) => void;

/** What stands in front of one provider in all replicas of a fleet. */
export interface FleetBreaker {
  /** Undefined: refused. */
  begin(replica: number): EndCall | undefined;
  /** Whether anything of it has opened by now. */
  readonly hasOpened: boolean;
}

export interface LeakScore {
  /** From the death to the first opening. */
  readonly before: number;
  /** In the minute after the first opening. */
  readonly after: number;
  /** Most calls that were out at once. */
  readonly mostOut: number;
}

export interface Fleet {
  readonly replicas: number;
  readonly callsASecond: number;
  readonly death: Death;
}

const healthyMs = 60_000;
const answerMs = 50;
const giveUpMs = 60_000;
/** A minute of silence until the first failure, and a minute after it. */
const playedMs = healthyMs + giveUpMs + 70_000;

interface Out {
  readonly endMs: number;
  readonly isFailure: boolean;
  readonly end: EndCall;
}

interface Lane {
  readonly calls: Out[];
  next: number;
}

/** Answers and time-outs each end in the order of their calls, so a lane of each needs no sorting. */
class CallsOut {
  readonly #lanes = new Map<number, Lane>();
  #size = 0;
  most = 0;

  add(lastsMs: number, out: Out): void {
    const lane = this.#lanes.get(lastsMs) ?? { calls: [], next: 0 };
    this.#lanes.set(lastsMs, lane);
    lane.calls.push(out);
    this.#size += 1;
    this.most = Math.max(this.most, this.#size);
  }

  endUntil(nowMs: number): void {
    for (const lane of this.#lanes.values()) {
      for (;;) {
        const first = lane.calls[lane.next];
        if (first === undefined || first.endMs > nowMs) break;
        lane.next += 1;
        this.#size -= 1;
        first.end(first.isFailure);
      }
    }
  }
}

export function playLeak(
  { replicas, callsASecond, death }: Fleet,
  breakerOn: (clock: SimulatedClock) => FleetBreaker,
): LeakScore {
  const clock = new SimulatedClock();
  const breaker = breakerOn(clock);
  const out = new CallsOut();
  const everyMs = 1000 / (callsASecond * replicas);
  let [before, after, openedMs] = [0, 0, Number.POSITIVE_INFINITY];
  const calls = Math.floor(playedMs / everyMs);
  for (let call = 0; call < calls; call += 1) {
    const nowMs = call * everyMs;
    clock.advance(nowMs - clock.monotonicMs());
    out.endUntil(nowMs);
    if (breaker.hasOpened) openedMs = Math.min(openedMs, nowMs);
    const isDead = nowMs >= healthyMs;
    const lastsMs = isDead && death === "silence" ? giveUpMs : answerMs;
    const end = breaker.begin(call % replicas);
    if (end === undefined) continue;
    out.add(lastsMs, { endMs: nowMs + lastsMs, isFailure: isDead, end });
    if (isDead && nowMs < openedMs) before += 1;
    if (nowMs >= openedMs && nowMs < openedMs + 60_000) after += 1;
  }
  return { before, after, mostOut: out.most };
}
