import type { WorkflowSpecInput } from "@bridle/protocol";

import type { Draw } from "./draw.ts";
import { generateDegrade } from "./generate-degrade.ts";
import { agentNames, plays } from "./plays.ts";
import type { Play } from "./plays.ts";

type TaskInput = WorkflowSpecInput["tasks"][number];
type Dependency = NonNullable<TaskInput["dependsOn"]>[number];

/** A random workflow: a DAG with conditions, joins, fan-outs, retries, budgets and clocks small enough to matter. */
export function generateWorkflow(draw: Draw, index: number): WorkflowSpecInput {
  const isPatient = draw.chance(0.06);
  const count = !isPatient && draw.chance(0.15) ? draw.between(7, 10) : draw.between(1, 5);
  const tasks: TaskInput[] = [];
  for (let number = 0; number < count; number++) tasks.push(generateTask(draw, tasks, isPatient));
  const last = tasks.at(-1);
  return {
    name: `workflow${index % 2}`,
    tasks,
    onFailure: draw.of(["fail_fast", "continue"]),
    budget: {
      onExceeded: draw.of(["fail", "fail", "pause", "degrade"]),
      ...(draw.chance(0.5) ? { maxCalls: draw.between(2, 40) } : {}),
      ...(draw.chance(0.3) ? { maxTokens: draw.between(300, 6000) } : {}),
    },
    timeout: isPatient
      ? { run: "15m", step: "2m" }
      : { run: draw.of(["40s", "2m", "6m"]), step: draw.of(["5s", "10s"]) },
    ...(last !== undefined && draw.chance(0.3)
      ? { output: { last: `\${{ tasks.${last.id}.output }}` } }
      : {}),
    ...generateDegrade(draw, tasks),
    ...generateCaps(draw),
  };
}

/** Small enough to be reached, now and then. */
function generateCaps(draw: Draw): Pick<WorkflowSpecInput, "spawn"> {
  if (!draw.chance(0.3)) return {};
  return {
    spawn: {
      maxDepth: draw.between(0, 4),
      maxPerTask: draw.between(0, 4),
      maxPerRun: draw.between(1, 10),
      maxLive: draw.between(1, 6),
    },
  };
}

/** Many tasks at once that want a model and have the patience to wait for it. */
export function generateWideWorkflow(draw: Draw, index: number): WorkflowSpecInput {
  const tasks = draw.list(4, 12, (number): TaskInput => ({
    id: `w${number}`,
    agent: draw.of(agentNames),
    input: {
      play: draw.of(["answers", "answers", "answers", "journals", "waits", "flaky"]),
      calls: draw.of([0, 1, 1, 2]),
      failures: draw.between(0, 1),
      n: draw.between(0, 9),
    },
    retry: { maxAttempts: draw.between(1, 3) },
    timeout: { task: draw.of(["20s", "60s"]) },
  }));
  return {
    name: `wide${index}`,
    tasks: [...tasks],
    onFailure: "continue",
    timeout: { run: draw.of(["2m", "6m"]), step: draw.of(["5s", "10s"]) },
  };
}

function generateTask(draw: Draw, earlier: readonly TaskInput[], isPatient: boolean): TaskInput {
  const dependsOn = dependencies(draw, earlier);
  // Outputs are read of tasks that must have completed.
  const source = dependsOn.flatMap((one) => (typeof one === "string" ? [one] : []))[0];
  const isFanOut = draw.chance(0.2);
  return {
    id: `t${earlier.length}`,
    agent: draw.of(agentNames),
    dependsOn: [...dependsOn],
    ...condition(draw, source),
    ...(isFanOut ? fanOut(draw, source) : {}),
    input: {
      play: playOf(draw, isPatient),
      calls: draw.of([0, 1, 1, 2, 3, 4]),
      failures: draw.between(0, 2),
      ...(isFanOut ? { n: "${{ item }}" } : { n: draw.between(0, 9) }),
    },
    retry: {
      maxAttempts: draw.between(1, 3),
      backoff: { type: draw.of(["exponential", "fixed"]), initial: draw.of(["100ms", "2s"]) },
    },
    timeout: { task: isPatient ? "4m" : draw.of(["8s", "20s", "60s"]) },
    ...(draw.chance(0.25) ? { budget: { maxCalls: draw.between(1, 6) } } : {}),
    ...(draw.chance(0.2) ? { priority: "background" } : {}),
    ...(draw.chance(0.2) ? { allowModelFallback: false } : {}),
  };
}

function playOf(draw: Draw, isPatient: boolean): Play {
  if (isPatient && draw.chance(0.5)) return "thinks";
  if (draw.chance(0.12)) return "spawns";
  return draw.chance(0.015) ? "kills" : draw.of(plays);
}

function dependencies(draw: Draw, earlier: readonly TaskInput[]): readonly Dependency[] {
  const wanted = draw.of([0, 1, 1, 1, 2, 3]);
  const chosen = new Map<string, Dependency>();
  for (let number = 0; number < Math.min(wanted, earlier.length); number++) {
    // The latest more often than others: chains, not only stars.
    const from = draw.chance(0.5) ? Math.max(0, earlier.length - 2) : 0;
    const task = earlier[draw.between(from, earlier.length - 1)]?.id ?? "t0";
    const when = draw.of(["completed", "completed", "completed", "failed", "always"]);
    chosen.set(task, when === "completed" ? task : { task, when });
  }
  return [...chosen.values()];
}

function condition(draw: Draw, source: string | undefined): Pick<TaskInput, "if"> {
  if (!draw.chance(0.2)) return {};
  if (source === undefined) return { if: `\${{ input.size > ${draw.between(0, 9)} }}` };
  return { if: `\${{ tasks.${source}.status == 'COMPLETED' && input.size > 2 }}` };
}

function fanOut(
  draw: Draw,
  source: string | undefined,
): Pick<TaskInput, "forEach" | "concurrency"> {
  const items =
    source !== undefined && draw.chance(0.4)
      ? `\${{ tasks.${source}.output.list }}`
      : draw.of<unknown>(["${{ input.items }}", [0, 1, 2], [1], []]);
  return {
    forEach: { items, maxFailures: draw.between(0, 2) },
    concurrency: { limit: draw.between(1, 3) },
  };
}
