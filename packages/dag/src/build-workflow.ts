import {
  defaultLimits,
  defaultSpawnCaps,
  retrySpecSchema,
  runEnvelopeTerms,
  taskEnvelopeTerms,
} from "@bridle/protocol";
import type { Amounts, EnvelopeTerms, SpawnCaps, TaskSpec, WorkflowSpec } from "@bridle/protocol";

import type { Graph } from "./check-graph.ts";
import type { CompiledDegrade, CompiledTask, CompiledWorkflow } from "./compiled-workflow.ts";
import { templateStrings } from "./template.ts";

/** Items of a fan-out in hand at once when the task does not say. */
const defaultConcurrency = 32;

/** A spec without faults, as a run pins it: defaults filled in, tasks in order. */
export function buildWorkflow(
  spec: WorkflowSpec,
  graph: Graph,
  order: readonly string[],
): CompiledWorkflow {
  const budget = runEnvelopeTerms(spec.budget);
  const byId = new Map(spec.tasks.map((task) => [task.id, task]));
  const tasks = order.flatMap((id) => {
    const task = byId.get(id);
    return task === undefined ? [] : [buildTask(task, { spec, graph })];
  });
  return {
    format: 1,
    name: spec.name,
    version: spec.version,
    tasks,
    budget,
    onExceeded: spec.budget.onExceeded,
    runTimeoutMs: spec.timeout.run ?? defaultLimits.runTimeoutMs,
    onFailure: spec.onFailure,
    ...(spec.guards?.breaker === undefined ? {} : { breaker: spec.guards.breaker }),
    ...(spec.degrade === undefined ? {} : { degrade: buildDegrade(spec, graph, order) }),
    ...(spec.spawn === undefined ? {} : { spawn: capsOf(spec.spawn) }),
    ...(spec.output === undefined ? {} : { output: spec.output }),
    ...(spec.input === undefined ? {} : { inputSchema: spec.input }),
  };
}

function capsOf(stated: NonNullable<WorkflowSpec["spawn"]>): SpawnCaps {
  const { maxDepth, maxPerTask, maxPerRun, maxLive } = defaultSpawnCaps;
  return {
    maxDepth: stated.maxDepth ?? maxDepth,
    maxPerTask: stated.maxPerTask ?? maxPerTask,
    maxPerRun: stated.maxPerRun ?? maxPerRun,
    maxLive: stated.maxLive ?? maxLive,
  };
}

function buildDegrade(
  spec: WorkflowSpec,
  graph: Graph,
  order: readonly string[],
): readonly CompiledDegrade[] {
  return (spec.degrade ?? []).map(({ replace, with: standIn }) => {
    const replaced = new Set(replace);
    const outside = new Set(
      replace
        .flatMap((id) => [...(graph.dependencies.get(id)?.keys() ?? [])])
        .filter((id) => !replaced.has(id)),
    );
    const built = buildTask(standIn, { spec, graph });
    const dependsOn = order.flatMap((task) =>
      outside.has(task) ? [{ task, when: "always" } as const] : [],
    );
    return {
      replace: order.filter((id) => replaced.has(id)),
      with: { ...built, dependsOn },
      opening: openingOf(standIn.budget, built.budget),
    };
  });
}

/** As much of each stated limit as its own envelope admits at once; one call where nothing is stated of calls. */
function openingOf(spec: TaskSpec["budget"] = {}, { limit, creditMode }: EnvelopeTerms): Amounts {
  const { maxTokens, maxUsd, maxCalls } = spec;
  const admitted = (whole: number): number => (creditMode === "strict" ? nineTenths(whole) : whole);
  return {
    tokens: isLimit(maxTokens) ? admitted(limit.tokens) : 0,
    nanoUsd: isLimit(maxUsd) ? admitted(limit.nanoUsd) : 0,
    calls: isLimit(maxCalls) ? admitted(limit.calls) : 1,
  };
}

function isLimit(stated: number | "unlimited" | undefined): boolean {
  return typeof stated === "number";
}

/** Rounded down; split at 10 so that no intermediate value leaves the safe integers. */
function nineTenths(whole: number): number {
  const rest = whole % 10;
  return ((whole - rest) / 10) * 9 + Math.floor((rest * 9) / 10);
}

interface Context {
  readonly spec: WorkflowSpec;
  readonly graph: Graph;
}

/** A stand-in is a task without what it may not state. */
type BuildableTask = Omit<TaskSpec, "dependsOn" | "needs" | "if" | "forEach" | "concurrency"> &
  Pick<Partial<TaskSpec>, "if" | "forEach" | "concurrency">;

function buildTask(task: BuildableTask, { spec, graph }: Context): CompiledTask {
  const input = task.llm ?? task.input ?? {};
  return {
    id: task.id,
    agent: task.agent ?? "llm",
    dependsOn: [...(graph.dependencies.get(task.id) ?? [])].map(([id, when]) => ({
      task: id,
      when,
    })),
    ...(task.if === undefined ? {} : { if: task.if }),
    ...(task.forEach === undefined ? {} : { forEach: fanOut(task, task.forEach) }),
    input,
    hasExpressions: [task.if, task.forEach?.items, input].some(holdsExpression),
    retry: task.retry ?? retrySpecSchema.parse({}),
    timeout: timeoutOf(task, spec),
    budget: taskEnvelopeTerms(task.budget, runEnvelopeTerms(spec.budget)),
    priority: task.priority,
    allowModelFallback: task.allowModelFallback,
  };
}

function timeoutOf(task: Pick<TaskSpec, "timeout">, spec: WorkflowSpec): CompiledTask["timeout"] {
  const stepMs = task.timeout?.step ?? spec.timeout.step;
  const taskMs = task.timeout?.task ?? spec.timeout.task ?? defaultLimits.taskTimeoutMs;
  return stepMs === undefined ? { taskMs } : { stepMs, taskMs };
}

function fanOut(
  task: Pick<TaskSpec, "concurrency">,
  forEach: NonNullable<TaskSpec["forEach"]>,
): NonNullable<CompiledTask["forEach"]> {
  const { items, maxItems, maxFailures } = forEach;
  const concurrency = task.concurrency?.limit ?? defaultConcurrency;
  return { items, maxItems, maxFailures, concurrency };
}

function holdsExpression(template: unknown): boolean {
  return templateStrings(template).next().done !== true;
}
