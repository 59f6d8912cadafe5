import type { RunCommand, RunState } from "@bridle/dag";
import type { Clock } from "@bridle/kernel";
import type { TaskId } from "@bridle/protocol";

import type { Arrival } from "./arrival.ts";
import type { RunEvaluator } from "./run-evaluator.ts";

export interface RunEvaluationsOptions {
  readonly evaluator: RunEvaluator;
  readonly clock: Clock;
  /** The run as it is when an evaluation begins. */
  readonly state: () => RunState;
  readonly onAnswer: (arrival: Arrival) => void;
  readonly onError: (error: unknown) => void;
}

/** The evaluations of one run that are in hand. The state asks for each until its answer is folded, so none is started twice. */
export class RunEvaluations {
  readonly #options: RunEvaluationsOptions;
  readonly #inHand = new Set<TaskId | "output">();

  constructor(options: RunEvaluationsOptions) {
    this.#options = options;
  }

  start(commands: readonly RunCommand[]): void {
    for (const command of commands) {
      if (command.type === "evaluate-task")
        this.#evaluate(command.taskId, () => this.#task(command.taskId));
      if (command.type === "evaluate-output") this.#evaluate("output", () => this.#output());
    }
  }

  #evaluate(key: TaskId | "output", work: () => Promise<Arrival>): void {
    if (this.#inHand.has(key)) return;
    this.#inHand.add(key);
    void this.#answer(key, work);
  }

  async #answer(key: TaskId | "output", work: () => Promise<Arrival>): Promise<void> {
    try {
      const arrival = await work();
      this.#inHand.delete(key);
      this.#options.onAnswer(arrival);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async #task(taskId: TaskId): Promise<Arrival> {
    const { evaluator, state, clock } = this.#options;
    const { result, bodies } =
      evaluator.evaluateStaticTask(taskId) ?? (await evaluator.evaluateTask(taskId, state()));
    return { input: { type: "task-evaluated", taskId, result }, at: clock.wallMs(), bodies };
  }

  async #output(): Promise<Arrival> {
    const { evaluator, state, clock } = this.#options;
    const answer = await evaluator.evaluateOutput(state());
    const at = clock.wallMs();
    if (!answer.ok) return { input: { type: "output-evaluated", result: answer }, at };
    return {
      input: { type: "output-evaluated", result: { ok: true } },
      at,
      output: JSON.stringify(answer.value ?? null),
    };
  }
}
