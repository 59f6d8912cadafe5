import type { CompiledWorkflow } from "@bridle/dag";
import { parseSpawnedId } from "@bridle/protocol";
import fc from "fast-check";

import { workflow, World } from "./world.ts";

export type When = "completed" | "failed" | "always";

/** One task of a random workflow, with how it will turn out when it is tried. */
export interface Planned {
  readonly id: string;
  readonly needs: readonly { readonly task: string; readonly when: When }[];
  readonly turnsOut: "completes" | "fails" | "skips" | "errors";
  /** Of a fan-out: which of its items fail. */
  readonly items?: readonly boolean[];
  readonly maxFailures: number;
}

const whens = fc.constantFrom<When>("completed", "completed", "completed", "failed", "always");

function plannedTask(index: number): fc.Arbitrary<Planned> {
  const earlier = Array.from({ length: index }, (_, each) => `t${each}`);
  return fc
    .record({
      chosen: fc.subarray(earlier, { maxLength: Math.min(4, index) }),
      conditions: fc.array(whens, { minLength: 4, maxLength: 4 }),
      turnsOut: fc.constantFrom<Planned["turnsOut"]>(
        "completes",
        "completes",
        "completes",
        "fails",
        "skips",
        "errors",
      ),
      items: fc.option(fc.array(fc.boolean(), { maxLength: 5 }), { freq: 3, nil: undefined }),
      maxFailures: fc.nat({ max: 2 }),
    })
    .map(({ chosen, conditions, items, turnsOut, maxFailures }): Planned => {
      const needs = chosen.map((task, place) => ({ task, when: conditions[place] ?? "completed" }));
      const planned = { id: `t${index}`, needs, turnsOut, maxFailures };
      return items === undefined ? planned : Object.assign(planned, { items });
    });
}

export const plans: fc.Arbitrary<readonly Planned[]> = fc
  .integer({ min: 1, max: 8 })
  .chain((length) => fc.tuple(...Array.from({ length }, (_, index) => plannedTask(index))));

export function compilePlan(
  plan: readonly Planned[],
  onFailure: string,
  fields: Readonly<Record<string, unknown>> = {},
): CompiledWorkflow {
  const tasks = plan.map(({ id, needs, items, maxFailures }) => [
    id,
    {
      dependsOn: needs.map(({ task, when }) => `${task}:${when}`),
      retry: { maxAttempts: 2 },
      ...(items === undefined
        ? {}
        : { forEach: { items: "${{ input.list }}", maxFailures }, concurrency: { limit: 2 } }),
    },
  ]);
  return workflow(Object.fromEntries(tasks), { onFailure, ...fields });
}

export function worldOf(
  plan: readonly Planned[],
  onFailure: string,
  fields: Readonly<Record<string, unknown>> = {},
): World {
  const world = new World(compilePlan(plan, onFailure, fields));
  for (const { id, turnsOut, items } of plan) {
    if (turnsOut === "skips") world.evaluations.set(id, { kind: "skip" });
    else if (turnsOut === "errors") {
      world.evaluations.set(id, { kind: "error", code: "expression_failed", message: "no" });
    } else if (items !== undefined)
      world.evaluations.set(id, { kind: "list", length: items.length });
  }
  return world;
}

/** Whether an attempt of this task or item is to fail. */
export function fails(plan: readonly Planned[], taskId: string): boolean {
  const spawned = parseSpawnedId(taskId);
  if (spawned !== undefined) return spawned.ordinal % 2 === 0;
  const [id, index] = taskId.split(/[[\]]/);
  const planned = plan.find((each) => each.id === id);
  if (index === undefined) return planned?.turnsOut === "fails";
  return planned?.items?.[Number(index)] === true;
}
