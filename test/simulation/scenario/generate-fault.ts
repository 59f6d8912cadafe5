import type { Draw } from "./draw.ts";
import type { ActorName, Fault } from "./scenario.ts";

export interface Cast {
  readonly schedulers: number;
  readonly workers: number;
  readonly calmAt: number;
}

const kinds = [
  "crash",
  "crash",
  "crash",
  "restart",
  "suspend",
  "slow",
  "away",
  "queue",
  "feed",
  "drift",
  "wall",
  "provider",
  "provider",
  "power",
] as const;

/** One fault, over before `calmAt`. */
export function generateFault(draw: Draw, cast: Cast): Fault {
  const at = draw.between(0, cast.calmAt - 2000);
  const forMs = draw.between(500, cast.calmAt - at);
  return makers[draw.of(kinds)](draw, { at, forMs, actor: anyActor(draw, cast) });
}

interface Frame {
  readonly at: number;
  readonly forMs: number;
  readonly actor: ActorName;
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
    at,
    downMs: draw.between(0, forMs),
  }),
  suspend: (draw, frame) => ({
    kind: "suspend",
    ...frame,
    ...(draw.chance(0.6) ? { call: draw.between(0, 20) } : {}),
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

/** A provider that is down from the beginning on, or several: what opens breakers. */
export function generateStorm(draw: Draw, { calmAt }: Cast): readonly Fault[] {
  return draw.list(1, 3, () => ({
    kind: "provider" as const,
    at: 0,
    forMs: draw.between(calmAt / 2, calmAt),
    ...providerFault(draw),
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

function losses(draw: Draw) {
  return {
    drop: draw.of([0, 0.3, 1]),
    duplicate: draw.of([0, 0.5]),
    delayMs: draw.of([0, 200, 5000]),
  };
}

function providerFault(draw: Draw) {
  return {
    target: draw.of(["north/large", "south/large", "north/small"]),
    fault: draw.of([
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
    share: draw.of([0.3, 0.8, 1]),
  };
}
