import { evolve, initialRun, pendingCommands } from "@bridle/dag";
import { isTerminalTask } from "@bridle/protocol";
import fc from "fast-check";

import { fails } from "./random-workflow.ts";
import type { Planned } from "./random-workflow.ts";
import { failure, success } from "./world.ts";
import type { World } from "./world.ts";

/** Attempts in hand: their finish has not been told yet. */
function inHand(world: World): readonly string[] {
  return Object.entries(world.run.tasks).flatMap(([id, task]) =>
    task.attempt > 0 &&
    task.items === undefined &&
    task.returned === undefined &&
    task.wakeAt === undefined &&
    !isTerminalTask(task.status)
      ? [id]
      : [],
  );
}

/** Everything that could happen next, in a stable order. */
function moves(world: World, plan: readonly Planned[]): readonly (() => void)[] {
  const finishes = inHand(world).map((id) => (): void => {
    const outcome = fails(plan, id) ? failure() : success();
    world.finish(id, outcome);
    // Everything may be told twice.
    world.finish(id, outcome, world.attempt(id));
  });
  const timers = [...world.timers.keys()]
    .filter((key) => key.startsWith("retry:") || key.startsWith("cancelling:"))
    .map((key) => (): void => {
      world.fire(key);
    });
  const releases = Object.entries(world.run.tasks).flatMap(([id, { status }]) =>
    status === "PARKED"
      ? [
          (): void => {
            world.release(id);
            // Let go once, whoever says it again.
            world.tell({ type: "release", taskId: id as never, attempt: world.attempt(id) });
          },
        ]
      : [],
  );
  return [...finishes, ...timers, ...releases];
}

export interface Disturbance {
  readonly pick: number;
  readonly disturb:
    | "none"
    | "pause"
    | "snapshot"
    | "claim"
    | "lose"
    | "cancel"
    | "takeover"
    | "park"
    | "stale"
    | "refuse"
    | "spawn"
    | "cancel_child";
}

/** What changes no outcome. */
export const noise = fc.constantFrom<Disturbance["disturb"]>(
  "none",
  "none",
  "pause",
  "snapshot",
  "claim",
  "takeover",
  "park",
  "stale",
  "spawn",
  "spawn",
  "cancel_child",
);

const disturbances: Readonly<
  Record<Disturbance["disturb"], (world: World, id: string, pick: number) => void>
> = {
  none: () => {},
  pause: (world) => {
    world.tell({ type: "pause", reason: "r", by: "u" });
    world.tell({ type: "resume", by: "u" });
  },
  snapshot: (world) => {
    world.run = JSON.parse(JSON.stringify(world.run)) as World["run"];
  },
  claim: (world, id) => {
    world.claim(id);
  },
  lose: (world, id) => {
    world.lose(id);
  },
  cancel: (world, _, pick) => {
    world.tell({ type: "cancel", taskId: `t${pick % 8}` as never, reason: "r", by: "u" });
  },
  takeover: (world) => {
    for (const command of pendingCommands(world.run)) world.perform(command);
  },
  park: (world, id, pick) => {
    // Often, and never for an hour in all.
    const refusal = failure("breaker_open", { retryAfterMs: pick });
    if (world.attempt(id) < 8) world.finish(id, refusal);
  },
  refuse: (world, _, pick) => refuse(world, pick),
  spawn: (world, _, pick) => {
    const parents = inHand(world);
    const parent = parents[pick % Math.max(1, parents.length)];
    if (parent !== undefined) world.spawn(parent, `k${pick % 5}`);
  },
  cancel_child: (world, _, pick) => {
    const children = Object.keys(world.run.tasks).filter((id) => id.includes("."));
    const taskId = children[pick % Math.max(1, children.length)];
    if (taskId !== undefined) {
      world.tell({ type: "cancel", taskId: taskId as never, reason: "r", by: "u" });
    }
  },
  stale: (world, id) => {
    world.finish(id, success(), 99);
    world.evaluate(id);
    world.tell({ type: "timer", key: `retry:${id}` });
  },
};

/** A guard refuses a task that a simpler flow may replace, with room for it; once. */
function refuse(world: World, pick: number): void {
  const { workflow, degradations } = world.run;
  const replace = workflow.degrade?.[0]?.replace ?? [];
  const refusable = inHand(world).filter((id) => replace.includes(id.split("[")[0] ?? ""));
  const id = refusable[pick % Math.max(1, refusable.length)];
  if (id === undefined || degradations !== undefined) return;
  const room = { tokens: 10, nanoUsd: 10, calls: 10 };
  world.finish(id, failure("breaker_open"), world.attempt(id), room);
}

function disturb(world: World, kind: Disturbance["disturb"], pick: number): void {
  disturbances[kind](world, inHand(world)[0] ?? "t0", pick);
}

/** Plays a run to its end, in an order that chance decides. */
export function play(
  world: World,
  plan: readonly Planned[],
  script: readonly Disturbance[],
): World {
  world.start();
  for (let turn = 0; world.outcome === undefined; turn += 1) {
    if (turn > 2000) throw new Error(`It does not end: ${JSON.stringify(world.statuses())}`);
    const { pick, disturb: kind } = script[turn % script.length] ?? { pick: 0, disturb: "none" };
    disturb(world, kind, pick);
    const possible = moves(world, plan);
    possible[pick % Math.max(1, possible.length)]?.();
  }
  return world;
}

/** The run folded from the start of its log, put away as a snapshot and taken out again before one event. */
export function refolded({ run: played, events }: World, cut: number): World["run"] {
  const at = cut % events.length;
  let run = initialRun(played.workflow);
  for (const [index, event] of events.entries()) {
    if (index === at) run = JSON.parse(JSON.stringify(run)) as typeof run;
    run = evolve(run, event);
  }
  return run;
}

export function scripts(
  kinds: fc.Arbitrary<Disturbance["disturb"]>,
): fc.Arbitrary<readonly Disturbance[]> {
  return fc.array(fc.record({ pick: fc.nat({ max: 1000 }), disturb: kinds }), {
    minLength: 1,
    maxLength: 40,
  });
}

export const anything = fc.constantFrom<Disturbance["disturb"]>(
  "none",
  "pause",
  "snapshot",
  "claim",
  "lose",
  "cancel",
  "takeover",
  "park",
  "stale",
  "spawn",
  "cancel_child",
);
export const policies = fc.constantFrom("fail_fast", "continue");
