import { asRunId, isTerminalTask } from "@bridle/protocol";
import type { DecisionEvent, RunId } from "@bridle/protocol";

import { applyEvent } from "./evolve.ts";
import type { RunCommand } from "./run-command.ts";
import type { RunHead, RunState, TaskState } from "./run-state.ts";
import { storeOfCopies } from "./run-store.ts";
import type { RunStore } from "./run-store.ts";

type Unstamped<Event> = Event extends DecisionEvent ? Omit<Event, "at" | "runId"> : never;

/** One answer in the making: events and commands so far, and the run as it is after them. */
export class Decision {
  readonly events: DecisionEvent[] = [];
  readonly commands: RunCommand[] = [];
  /** Tasks and items that ended in this decision and whose consequences are still to be drawn, oldest first. */
  readonly ended: string[] = [];
  /** Tasks whose children are to be stopped: they will not complete, or their agent's breaker is open. */
  readonly forsaken: string[] = [];
  readonly store: RunStore;
  readonly at: number;
  readonly #runId: RunId;
  readonly #before: RunState;
  readonly #asked = new Map<string, number>();
  readonly #ordered = new Set<string>();

  constructor(run: RunState, at: number) {
    this.#before = run;
    this.store = storeOfCopies(run);
    this.at = at;
    this.#runId = asRunId(run.runId);
  }

  get head(): RunHead {
    return this.store.head;
  }

  /** No task may be evaluated or dispatched now. */
  get held(): boolean {
    const { startedAt, paused, ending } = this.head;
    return startedAt === undefined || paused !== undefined || ending !== undefined;
  }

  get(taskId: string): Readonly<TaskState> | undefined {
    return this.store.get(taskId);
  }

  emit(fields: Unstamped<DecisionEvent>): void {
    // The distributive Omit above is undone: every member gets back exactly the two fields it lost.
    const event = { ...fields, at: this.at, runId: this.#runId } as DecisionEvent;
    this.events.push(event);
    applyEvent(this.store, event);
    if (!("taskId" in event)) return;
    const task = this.get(event.taskId);
    if (task !== undefined && isTerminalTask(task.status)) this.ended.push(event.taskId);
  }

  /** Items of a fan-out below this index have been asked for already. */
  asked(parent: string): number {
    return this.#asked.get(parent) ?? this.#before.tasks[parent]?.items?.frontier ?? 0;
  }

  markAsked(parent: string, frontier: number): void {
    this.#asked.set(parent, frontier);
  }

  /** False when this decision has ordered the task's worker to stop already. */
  orderOnce(taskId: string): boolean {
    if (this.#ordered.has(taskId)) return false;
    this.#ordered.add(taskId);
    return true;
  }

  command(command: RunCommand): void {
    this.commands.push(command);
  }
}
