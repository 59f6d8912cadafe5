/**
 * A trusted agent's code in this process: the same task host, the same messages, each passed as JSON so that values mean the same
 * as in a child.
 *
 * N1. Messages are delivered in later microtasks, in order, never inside `send`.
 * N2. What runs cannot be ended: `reclaim` cuts it off, counts it as abandoned, and its later words are dropped.
 */
import type { AnyAgent } from "@bridle/agent";
import type { Clock } from "@bridle/kernel";
import { fromIsolateSchema } from "@bridle/protocol";
import type { FromIsolate, ToIsolate } from "@bridle/protocol";

import { TaskHost } from "../child/task-host.ts";
import type { Isolate, IsolateEnd, IsolateListener, ReclaimResult } from "./isolate.ts";

export interface InlineIsolateOptions {
  readonly agent: AnyAgent;
  readonly clock: Clock;
  /** Contract: called once when a task had to be abandoned. */
  readonly onAbandoned: () => void;
}

export class InlineIsolate implements Isolate {
  readonly isolation = "inline";
  readonly pid = undefined;
  readonly groupId = undefined;
  readonly folder = undefined;
  readonly backlogBytes = 0;
  tasks = 0;
  readonly #host: TaskHost;
  readonly #onAbandoned: () => void;
  #listener: IsolateListener | undefined;
  #end: IsolateEnd | undefined;
  #isBusy = false;

  constructor({ agent, clock, onAbandoned }: InlineIsolateOptions) {
    this.#onAbandoned = onAbandoned;
    this.#host = new TaskHost({
      agent,
      clock,
      folder: undefined,
      send: (message) => this.#deliver(message),
      activeResources: undefined,
    });
  }

  get end(): IsolateEnd | undefined {
    return this.#end;
  }

  send(message: ToIsolate): void {
    if (this.#end !== undefined) return;
    if (message.type === "start") this.#isBusy = true;
    const copy = JSON.parse(JSON.stringify(message)) as ToIsolate;
    queueMicrotask(() => this.#host.handle(copy));
  }

  listen(listener: IsolateListener | undefined): void {
    this.#listener = listener;
  }

  pause(): void {
    // Shares the loop: what it says is heard in the same turn, nothing piles up.
  }

  resume(): void {
    // See pause.
  }

  terminate(): void {
    // Only its abort signal can ask it.
  }

  residentBytes(): undefined {
    return undefined;
  }

  /** Shares the process, which outlives it. */
  hasLeftovers(): boolean {
    return false;
  }

  async reclaim(): Promise<ReclaimResult> {
    if (this.#isBusy && this.#end === undefined) this.#onAbandoned();
    const end = { exitCode: undefined, signal: undefined, fault: "abandoned", stderrTail: "" };
    this.#end ??= end;
    this.#host.abandon();
    this.#listener?.onEnd(this.#end);
    this.#listener = undefined;
    return { gone: true, leftPids: [] };
  }

  #deliver(message: FromIsolate): void {
    const text = JSON.stringify(message);
    if (message.type === "result" || message.type === "failed") this.#isBusy = false;
    queueMicrotask(() => {
      if (this.#end === undefined) {
        this.#listener?.onMessage(fromIsolateSchema.parse(JSON.parse(text)), text.length);
      }
    });
  }
}
