import { openingHoldOf, parseItemId } from "@bridle/dag";
import type { CompiledTask, CompiledWorkflow, RunState, TaskEvaluation } from "@bridle/dag";
import type { Bindings, EvaluationAnswer, Expressions, RunLog } from "@bridle/ports";
import { asTaskId, defaultLimits } from "@bridle/protocol";
import type { RunId, TaskEnvelope, TaskId } from "@bridle/protocol";

import { loadTaskBindings } from "./load-task-bindings.ts";
import { taskLookup } from "./task-plan.ts";

export interface TaskAnswer {
  readonly result: TaskEvaluation;
  readonly bodies: readonly { readonly taskId: TaskId; readonly body: string }[];
}

export interface RunEvaluatorOptions {
  readonly runId: RunId;
  readonly workflow: CompiledWorkflow;
  /** The run's input, parsed. */
  readonly input: unknown;
  readonly runs: Pick<RunLog, "input" | "outputs">;
  readonly expressions: Expressions;
}

type Failure = Extract<TaskEvaluation, { kind: "error" }>;

function failure(
  code: string,
  message: string,
): { readonly result: Failure; readonly bodies: readonly [] } {
  return { result: { kind: "error", code, message }, bodies: [] };
}

function failed(answer: Extract<EvaluationAnswer, { ok: false }>, place: string): TaskAnswer {
  return failure(answer.code, `${place}: ${answer.message}`);
}

/** Resolves what a run's expressions mean: conditions, fan-out lists, inputs, the output. Decides nothing. */
export class RunEvaluator {
  readonly #options: RunEvaluatorOptions;
  readonly #taskOf: (taskId: TaskId) => CompiledTask;
  /** The list of the fan-out at work: its items come one after another, and parsing it for each would be quadratic. */
  #list: { readonly task: string; readonly items: readonly unknown[] } | undefined;

  constructor(options: RunEvaluatorOptions) {
    this.#options = options;
    this.#taskOf = taskLookup(options.workflow);
  }

  /** The answer at once when nothing has to be evaluated or loaded; undefined when `evaluateTask` is needed. */
  evaluateStaticTask(taskId: TaskId): TaskAnswer | undefined {
    const task = this.#taskOf(taskId);
    return task.hasExpressions || task.forEach !== undefined
      ? undefined
      : this.#ready(taskId, task, task.input);
  }

  async evaluateTask(taskId: TaskId, run: RunState): Promise<TaskAnswer> {
    const task = this.#taskOf(taskId);
    const index = parseItemId(taskId)?.index;
    if (index !== undefined) return this.#evaluateItem({ taskId, task, index, run });
    if (task.if !== undefined) {
      const answer = await this.#evaluate(task.if, run, { reader: task.id });
      if (!answer.ok) return failed(answer, "if");
      if (typeof answer.value !== "boolean") {
        return failure(
          "expression_failed",
          `if: the condition is ${JSON.stringify(answer.value)}, not true or false. Compare it with something.`,
        );
      }
      if (!answer.value) return { result: { kind: "skip" }, bodies: [] };
    }
    if (task.forEach !== undefined) return this.#evaluateList(taskId, task, run);
    const answer = await this.#evaluate(task.input, run, { reader: task.id });
    return answer.ok ? this.#ready(taskId, task, answer.value) : failed(answer, "input");
  }

  async evaluateOutput(run: RunState): Promise<EvaluationAnswer> {
    return this.#evaluate(this.#options.workflow.output, run, {});
  }

  async #evaluateList(taskId: TaskId, task: CompiledTask, run: RunState): Promise<TaskAnswer> {
    const answer = await this.#evaluate(task.forEach?.items, run, { reader: task.id });
    if (!answer.ok) return failed(answer, "forEach.items");
    const list = answer.value;
    if (!Array.isArray(list)) {
      return failure(
        "foreach_not_a_list",
        `forEach.items of ${taskId} is ${describe(list)}, not a list. Point it at a list.`,
      );
    }
    this.#list = { task: task.id, items: list };
    return {
      result: { kind: "list", length: list.length },
      bodies: [{ taskId, body: JSON.stringify(list) }],
    };
  }

  async #evaluateItem(job: {
    readonly taskId: TaskId;
    readonly task: CompiledTask;
    readonly index: number;
    readonly run: RunState;
  }): Promise<TaskAnswer> {
    const { taskId, task, index, run } = job;
    const items = await this.#itemsOf(task.id);
    const own = { item: items[index], index };
    const answer = await this.#evaluate(task.input, run, { reader: task.id, own });
    return answer.ok
      ? this.#ready(taskId, task, answer.value)
      : failed(answer, `input of item ${index}`);
  }

  async #itemsOf(task: string): Promise<readonly unknown[]> {
    if (this.#list?.task !== task) {
      const body = await this.#options.runs.input(this.#options.runId, asTaskId(task));
      if (body === undefined)
        throw new Error(
          `The list of ${task} is missing from the store although its expansion is in the log.`,
        );
      this.#list = { task, items: JSON.parse(body) as readonly unknown[] };
    }
    return this.#list.items;
  }

  async #evaluate(
    template: unknown,
    run: RunState,
    { reader, own }: { readonly reader?: string; readonly own?: Bindings },
  ): Promise<EvaluationAnswer> {
    const { runId, runs, input, expressions } = this.#options;
    const tasks = await loadTaskBindings({ template, reader, runId, runs, run });
    if (tasks === "too_large") {
      return {
        ok: false,
        code: "expression_failed",
        message: `the outputs it names are larger than ${defaultLimits.bodyBytes} bytes together. Let the agents return less, or name only the parts you need.`,
      };
    }
    return expressions.evaluate(template, { ...own, input, tasks });
  }

  #ready(taskId: TaskId, task: CompiledTask, input: unknown): TaskAnswer {
    const body = JSON.stringify(this.envelopeOf(task, input));
    return { result: { kind: "ready" }, bodies: [{ taskId, body }] };
  }

  /** What a worker gets of a task whose input is resolved. */
  envelopeOf(task: CompiledTask, input: unknown): TaskEnvelope {
    const { name, breaker, budget, tenant } = this.#options.workflow;
    return {
      workflow: name,
      agent: task.agent,
      input,
      ...(task.timeout.stepMs === undefined ? {} : { stepMs: task.timeout.stepMs }),
      taskMs: task.timeout.taskMs,
      priority: task.priority,
      allowModelFallback: task.allowModelFallback,
      onTrip: budget.onTrip,
      ...ladderOf(this.#options, task.id),
      ...envelopeTokens(budget.limit.tokens, task.budget.limit.tokens),
      ...(tenant === undefined ? {} : { tenant }),
      ...(breaker === undefined ? {} : { breaker }),
    };
  }
}

/** The smaller limit; none where both are without. */
function envelopeTokens(...limits: readonly number[]): Pick<TaskEnvelope, "envelopeTokens"> {
  const tokens = Math.min(...limits);
  return tokens === Number.MAX_SAFE_INTEGER ? {} : { envelopeTokens: tokens };
}

/** BU-19: whether something steps in for it, or it steps in itself. */
function ladderOf(
  { runId, workflow: { degrade = [] } }: RunEvaluatorOptions,
  id: string,
): Pick<TaskEnvelope, "hasSimplerFlow" | "openingHold"> {
  const stepsIn = degrade.some((each) => each.with.id === id);
  if (stepsIn) return { openingHold: openingHoldOf(runId, id) };
  return degrade.some(({ replace }) => replace.includes(id)) ? { hasSimplerFlow: true } : {};
}

function describe(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "object"
    ? "an object"
    : `the ${typeof value} ${JSON.stringify(value).slice(0, 80)}`;
}
