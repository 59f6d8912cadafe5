import { compileWorkflow, decide, evolve, initialRun, pendingCommands, viewRun } from "@bridle/dag";
import type {
  CompiledWorkflow,
  RunCommand,
  RunInput,
  RunState,
  SpawnInput,
  TaskEvaluation,
} from "@bridle/dag";
import type {
  Amounts,
  ChildEnd,
  DecisionEvent,
  EndCause,
  RunEvent,
  SpawnAnswer,
  TaskOutcome,
} from "@bridle/protocol";
import { asRunId, asTaskId, fromWireAmounts, toWireAmounts, noAmounts } from "@bridle/protocol";

export { fromWireAmounts };

/** A workflow of plain tasks: ids with what they wait for (`b: ["a", "c:failed"]`). */
export function workflow(
  tasks: Readonly<Record<string, readonly string[] | Readonly<Record<string, unknown>>>>,
  fields: Readonly<Record<string, unknown>> = {},
): CompiledWorkflow {
  const spec = { name: "test", ...fields, tasks: Object.entries(tasks).map(taskSpec) };
  const answer = compileWorkflow(spec);
  if (!answer.ok) throw new Error(JSON.stringify(answer.issues, null, 2));
  return answer.workflow;
}

function taskSpec([id, value]: readonly [string, unknown]): unknown {
  const fields = Array.isArray(value) ? { dependsOn: value } : (value as object);
  const task: Record<string, unknown> = Object.assign({ id, agent: "worker" }, fields);
  const edges = (task["dependsOn"] ?? []) as readonly string[];
  task["dependsOn"] = edges.map(edge);
  return task;
}

function edge(text: string): unknown {
  const [task, when] = text.split(":");
  return when === undefined ? task : { task, when };
}

export function failure(
  cause: EndCause = "agent_error",
  more: Partial<Extract<TaskOutcome, { status: "failed" }>> = {},
): TaskOutcome {
  const none = toWireAmounts(noAmounts);
  return {
    status: "failed",
    cause,
    code: cause,
    message: `it ended by ${cause}`,
    retryable: true,
    stop: {
      reason: cause,
      guard: "none",
      rule: "test",
      evidence: {},
      spent: none,
      reserved: none,
      limit: none,
      resumable: false,
      hint: "",
    },
    ...more,
  };
}

export function success(degraded: readonly string[] = []): TaskOutcome {
  return { status: "completed", outputBytes: 2, degraded: [...degraded] };
}

/** Answers the core as the shell would, with time under control. Evaluations answer `ready` unless told otherwise. */
export class World {
  run: RunState;
  readonly events: RunEvent[] = [];
  readonly commands: RunCommand[] = [];
  readonly timers = new Map<string, number>();
  /** What workers were told, by task and key. */
  readonly answers = new Map<string, SpawnAnswer | ChildEnd>();
  #requests = 0;
  readonly evaluations = new Map<string, TaskEvaluation>();
  autoEvaluate = true;
  at = 1_000_000;

  constructor(compiled: CompiledWorkflow) {
    this.run = initialRun(compiled);
    this.fold({
      type: "run.submitted",
      at: this.at,
      runId: asRunId("run_test1"),
      workflow: compiled.name,
      version: compiled.version,
      limit: toWireAmounts(compiled.budget.limit),
      taskCount: compiled.tasks.length,
    });
  }

  fold(event: RunEvent): void {
    this.events.push(event);
    this.run = evolve(this.run, event);
  }

  /** The decisions this input led to by itself, without those of the evaluations that followed. */
  tell(input: RunInput): readonly DecisionEvent[] {
    const { events, commands } = decide(this.run, input, this.at);
    for (const event of events) this.fold(event);
    for (const command of commands) this.perform(command);
    return events;
  }

  perform(command: RunCommand): void {
    this.commands.push(command);
    if (command.type === "set-timer") this.timers.set(command.key, command.at);
    if (command.type === "answer") {
      this.answers.set(`${command.taskId} ${command.key}`, command.answer);
    }
    if (command.type === "clear-timer") this.timers.delete(command.key);
    if (command.type === "evaluate-task" && this.autoEvaluate) this.evaluate(command.taskId);
    if (command.type === "evaluate-output" && this.autoEvaluate) {
      this.tell({ type: "output-evaluated", result: { ok: true } });
    }
  }

  evaluate(
    taskId: string,
    result = this.evaluations.get(taskId) ?? this.defaultAnswer(taskId),
  ): void {
    this.tell({ type: "task-evaluated", taskId: asTaskId(taskId), result });
  }

  defaultAnswer(_taskId: string): TaskEvaluation {
    return { kind: "ready" };
  }

  start(): this {
    this.tell({ type: "start" });
    return this;
  }

  claim(...taskIds: readonly string[]): this {
    for (const id of taskIds) {
      this.fold({
        type: "task.claimed",
        at: this.at,
        runId: asRunId("run_test1"),
        taskId: asTaskId(id),
        attempt: this.attempt(id),
        workerId: "w",
        bootId: "b",
      });
    }
    return this;
  }

  attempt(taskId: string): number {
    return this.run.tasks[taskId]?.attempt ?? 0;
  }

  finish(
    taskId: string,
    outcome: TaskOutcome = success(),
    attempt = this.attempt(taskId),
    room?: Amounts,
  ): readonly DecisionEvent[] {
    const finished = { type: "task-finished", taskId: asTaskId(taskId), attempt, outcome } as const;
    return this.tell(room === undefined ? finished : { ...finished, room });
  }

  /** An attempt of `parent` asks for a task under this key, with this much to give. Answers what its worker is told. */
  spawn(parent: string, key = "k", more: Partial<SpawnInput> = {}): SpawnAnswer {
    this.#requests += 1;
    const request = `${this.attempt(parent)}.${this.#requests}`;
    this.tell({
      type: "spawn",
      taskId: asTaskId(parent),
      attempt: this.attempt(parent),
      request,
      task: { agent: "helper", key, digest: "d" },
      limit: {},
      input: '{"q":1}',
      isEnforced: true,
      room: { tokens: 1000, nanoUsd: 1000, calls: 100 },
      ...more,
    });
    const answer = this.answers.get(`${parent} spawn:${request}`);
    if (answer === undefined || !("outcome" in answer)) throw new Error("It was not answered.");
    return answer;
  }

  lose(taskId: string): readonly DecisionEvent[] {
    const attempt = this.attempt(taskId);
    return this.tell({ type: "task-lost", taskId: asTaskId(taskId), attempt, bootId: "b" });
  }

  /** Moves time to a timer's instant and fires it. */
  fire(key: string): readonly DecisionEvent[] {
    const at = this.timers.get(key);
    if (at === undefined)
      throw new Error(`No timer ${key}; there are ${[...this.timers.keys()].join(", ")}.`);
    this.timers.delete(key);
    this.at = Math.max(this.at, at);
    return this.tell({ type: "timer", key });
  }

  /** Lets a parked task go, at the earliest when its breaker may be asked again. */
  release(taskId: string): readonly DecisionEvent[] {
    const { wakeAt = this.at, attempt = 0 } = this.run.tasks[taskId] ?? {};
    this.at = Math.max(this.at, wakeAt);
    return this.tell({ type: "release", taskId: asTaskId(taskId), attempt });
  }

  status(taskId: string): string {
    return this.run.tasks[taskId]?.status ?? "absent";
  }

  /** Every task's state, items included. */
  statuses(): Readonly<Record<string, string>> {
    return Object.fromEntries(viewRun(this.run).tasks.map((task) => [task.id, task.status]));
  }

  get outcome(): string | undefined {
    return this.run.finished?.status;
  }

  dispatched(): readonly string[] {
    return this.commands.flatMap((command) =>
      command.type === "dispatch-task" ? [`${command.taskId}#${command.attempt}`] : [],
    );
  }

  count(type: RunEvent["type"]): number {
    return this.events.filter((event) => event.type === type).length;
  }

  pending(): readonly RunCommand[] {
    return pendingCommands(this.run);
  }
}

export function started(compiled: CompiledWorkflow): World {
  return new World(compiled).start();
}
