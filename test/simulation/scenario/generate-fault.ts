import type { Draw } from "./draw.ts";
import type { ActorName, Fault } from "./scenario.ts";

export interface Cast {
  readonly schedulers: number;
  readonly workers: number;
  readonly calmAt: number;
  /** When runs are submitted. */
  readonly starts: readonly number[];
}

/** `outstay`: a scheduler stands still for longer than its lease. `blink`: calls of the store are lost, one here and one there. `cut off`: for longer than a worker's fence. */
const kinds = [
  "crash",
  "crash",
  "crash",
  "restart",
  "restart",
  "suspend",
  "outstay",
  "outstay",
  "slow",
  "away",
  "blink",
  "blink",
  "blink",
  "blink",
  "blink",
  "blink",
  "cut off",
  "queue",
  "queue",
  "feed",
  "drift",
  "wall",
  "wake up",
  "provider",
  "power",
] as const;

/** One fault, over before `calmAt`. */
export function generateFault(draw: Draw, cast: Cast): Fault {
  const at = Math.min(momentOf(draw, cast), cast.calmAt - 2000);
  const forMs = draw.between(500, cast.calmAt - at);
  const { calmAt } = cast;
  return makers[draw.of(kinds)](draw, { at, forMs, actor: anyActor(draw, cast), calmAt });
}

/** While something goes on, more often than not. */
function momentOf(draw: Draw, { starts, calmAt }: Cast): number {
  const start = starts[draw.between(0, starts.length - 1)];
  if (start === undefined || draw.chance(0.3)) return draw.between(0, calmAt);
  return start + draw.between(0, 8000);
}

interface Frame {
  readonly at: number;
  readonly forMs: number;
  readonly actor: ActorName;
  readonly calmAt: number;
}

type Maker = (draw: Draw, frame: Frame) => Fault;

const makers: Readonly<Record<(typeof kinds)[number], Maker>> = {
  crash: (draw, { actor, at, forMs }) => ({
    kind: "crash",
    actor,
    at,
    call: draw.of([draw.between(0, 25), draw.between(0, 200)]),
    when: draw.of(["before", "after"]),
    downMs: draw.between(100, forMs),
  }),
  restart: (draw, { actor, at, forMs }) => ({
    kind: "restart",
    actor,
    // Whatever is renewed is renewed on whole seconds, and is on its way just after them.
    at: draw.chance(0.5) ? at - (at % 2000) + draw.between(0, 60) : at,
    downMs: draw.between(0, forMs),
  }),
  suspend: (draw, frame) => ({
    kind: "suspend",
    ...frame,
    ...(draw.chance(0.6) ? { call: draw.between(0, 20) } : {}),
  }),
  outstay: (draw, { at, calmAt }) => ({
    kind: "suspend",
    actor: "scheduler-1",
    ...within(calmAt, at, draw.between(10_000, 16_000)),
    call: draw.between(0, 12),
  }),
  blink: (draw, { actor, at, calmAt }) => ({
    kind: "away",
    actor: draw.of(["scheduler-1", "scheduler-1", "worker-1", "worker-1", actor]),
    ...within(calmAt, at, draw.between(1000, 6000)),
    lost: draw.of(["request", "answer", "answer", "late", "late", "late"]),
    lateMs: draw.of([1000, 6000]),
    share: draw.of([0.2, 0.5]),
  }),
  "cut off": (draw, { at, calmAt }) => ({
    kind: "away",
    actor: "worker-1",
    ...within(calmAt, at, draw.between(6000, 15_000)),
    lost: draw.of(["request", "answer", "late"]),
    lateMs: 3000,
  }),
  slow: (draw, frame) => ({ kind: "slow", ...frame, upToMs: draw.of([20, 500, 3000]) }),
  away: (draw, { actor, at, forMs }) => ({
    kind: "away",
    actor: draw.chance(0.5) ? actor : "all",
    at,
    forMs,
    lost: draw.of(["request", "answer", "late"]),
    lateMs: draw.of([300, 3000, 12_000]),
  }),
  queue: (draw, { at, forMs }) => ({ kind: "queue", at, forMs, ...losses(draw) }),
  feed: (draw, { at, forMs }) => ({ kind: "feed", at, forMs, ...losses(draw) }),
  drift: (draw, { actor }) => ({
    kind: "drift",
    actor,
    rate: draw.of([0.85, 0.95, 1.05, 1.2]),
  }),
  "wake up": (draw, { at }) => ({
    kind: "wall",
    actor: "all",
    at,
    byMs: draw.of([60_000, 3_600_000]),
  }),
  wall: (draw, { actor, at }) => ({
    kind: "wall",
    actor,
    at,
    byMs: draw.of([-30_000, -2000, 2000, 30_000]),
  }),
  provider: (draw, { at, forMs }) => ({ kind: "provider", at, forMs, ...providerFault(draw) }),
  power: (draw, { at, forMs }) => ({
    kind: "power",
    at,
    lostMs: draw.between(0, 2000),
    downMs: draw.between(100, forMs),
  }),
};

/** Providers that are down for most of the time: what opens breakers. */
export function generateStorm(draw: Draw, { calmAt }: Cast): readonly Fault[] {
  return draw.list(1, 4, () => {
    const at = draw.between(0, calmAt / 6);
    const forMs = draw.between(calmAt / 2, calmAt - at);
    return { kind: "provider" as const, at, forMs, ...providerFault(draw) };
  });
}

/** Every target is down for long enough that each breaker opens, is tried, and opens again: what parks tasks. */
export function generateOutage(draw: Draw, { calmAt }: Cast): readonly Fault[] {
  const at = draw.between(0, calmAt / 4);
  const forMs = draw.between(calmAt / 3, (calmAt * 3) / 4);
  return targets.map((target) => ({
    kind: "provider" as const,
    at,
    forMs,
    target,
    fault: draw.of(["server_error", "reset", "malformed"]),
    share: draw.of([0.8, 1]),
  }));
}

function anyActor(draw: Draw, { schedulers, workers }: Cast): ActorName {
  return draw.of([
    "door",
    `scheduler-${draw.between(1, schedulers)}`,
    `scheduler-${draw.between(1, schedulers)}`,
    `worker-${draw.between(1, workers)}`,
    `worker-${draw.between(1, workers)}`,
  ]);
}

/** As long as it is meant to be, sooner if need be. */
function within(calmAt: number, at: number, wantedMs: number) {
  const forMs = Math.min(wantedMs, calmAt);
  return { at: Math.min(at, calmAt - forMs), forMs };
}

function losses(draw: Draw) {
  return {
    drop: draw.of([0, 0, 0.3, 1]),
    duplicate: draw.of([0, 0.5, 1]),
    delayMs: draw.of([0, 200, 5000, 20_000]),
  };
}

const targets = ["north/large", "south/large", "north/small", "south/wide"] as const;

function providerFault(draw: Draw) {
  return {
    target: draw.of(["all", "north", "north", "south", "north/large", "south/large"]),
    fault: draw.of([
      "rate_limit",
      "rate_limit",
      "overloaded",
      "server_error",
      "hang",
      "cut",
      "reset",
      "slow",
      "malformed",
      "auth",
    ]),
    share: draw.of([0.3, 0.8, 1, 1]),
  };
}
