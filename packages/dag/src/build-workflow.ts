import { defaultLimits, nanoUsdPerUsd, retrySpecSchema } from "@bridle/protocol";
import type { Amounts, EnvelopeTerms, TaskSpec, WorkflowSpec } from "@bridle/protocol";

import type { Graph } from "./check-graph.ts";
import type { CompiledTask, CompiledWorkflow } from "./compiled-workflow.ts";
import { templateStrings } from "./template.ts";

/** Items of a fan-out in hand at once when the task does not say. */
const defaultConcurrency = 32;

/** A task that states no limit of its own is bounded by the run's envelope alone: who raises that one has raised enough. */
const noCap: Amounts = {
  tokens: Number.MAX_SAFE_INTEGER,
  nanoUsd: Number.MAX_SAFE_INTEGER,
  calls: Number.MAX_SAFE_INTEGER,
};

/** A spec without faults, as a run pins it: defaults filled in, tasks in order. */
export function buildWorkflow(
  spec: WorkflowSpec,
  graph: Graph,
  order: readonly string[],
): CompiledWorkflow {
  const defaults = {
    tokens: defaultLimits.runTokens,
    nanoUsd: defaultLimits.runNanoUsd,
    calls: defaultLimits.runCalls,
  };
  const budget = envelope(spec.budget, defaults, onTripOf(spec));
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
    ...(spec.output === undefined ? {} : { output: spec.output }),
    ...(spec.input === undefined ? {} : { inputSchema: spec.input }),
  };
}

interface Context {
  readonly spec: WorkflowSpec;
  readonly graph: Graph;
}

function buildTask(task: TaskSpec, { spec, graph }: Context): CompiledTask {
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
    budget: envelope(task.budget ?? {}, noCap, onTripOf(spec)),
    priority: task.priority,
    allowModelFallback: task.allowModelFallback,
  };
}

function timeoutOf(task: TaskSpec, spec: WorkflowSpec): CompiledTask["timeout"] {
  const stepMs = task.timeout?.step ?? spec.timeout.step;
  const taskMs = task.timeout?.task ?? spec.timeout.task ?? defaultLimits.taskTimeoutMs;
  return stepMs === undefined ? { taskMs } : { stepMs, taskMs };
}

function fanOut(
  task: TaskSpec,
  forEach: NonNullable<TaskSpec["forEach"]>,
): NonNullable<CompiledTask["forEach"]> {
  const { items, maxItems, maxFailures } = forEach;
  const concurrency = task.concurrency?.limit ?? defaultConcurrency;
  return { items, maxItems, maxFailures, concurrency };
}

function holdsExpression(template: unknown): boolean {
  return templateStrings(template).next().done !== true;
}

/** Who asks to degrade means the ladder; who asks to fail or to pause has not asked for anything else instead. */
function onTripOf({ budget }: WorkflowSpec): EnvelopeTerms["onTrip"] {
  return budget.onTrip ?? (budget.onExceeded === "degrade" ? "ladder" : "nothing");
}

type Limit = number | "unlimited" | undefined;

function envelope(
  spec: { readonly maxTokens?: Limit; readonly maxUsd?: Limit; readonly maxCalls?: Limit },
  fallback: Amounts,
  onTrip: EnvelopeTerms["onTrip"],
): EnvelopeTerms {
  return {
    limit: {
      tokens: amount(spec.maxTokens, fallback.tokens),
      nanoUsd: amount(spec.maxUsd, fallback.nanoUsd, nanoUsdPerUsd),
      calls: amount(spec.maxCalls, fallback.calls),
    },
    creditMode: "credit",
    onTrip,
  };
}

function amount(limit: Limit, fallback: number, unit = 1): number {
  if (limit === undefined) return fallback;
  return limit === "unlimited" ? Number.MAX_SAFE_INTEGER : Math.round(limit * unit);
}
