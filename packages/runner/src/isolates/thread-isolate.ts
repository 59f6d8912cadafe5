/**
 * A trusted agent's code in a thread of this process.
 *
 * T1. What the thread sends is parsed before anything else sees it; a text that is no message ends this isolate and nothing else.
 * T2. While `pause` holds nothing is acknowledged, so the thread keeps what it says in its own heap (`CreditSender`).
 * T3. `reclaim` ends what the thread started before it waits for the thread: a thread that waits for a child ends with it.
 * T4. A thread that has not ended within 2 s of `terminate()` sits in a native call. It is given up: its words are dropped, its
 *     end is told at once, and whoever counts such threads hears of it, once (WD-13).
 * T5. `onEnd` comes once, after the last message of the thread has been delivered.
 */
import { receiveMessageOnPort } from "node:worker_threads";
import type { MessagePort, Worker } from "node:worker_threads";

import type { Clock } from "@bridle/kernel";
import { fromIsolateSchema } from "@bridle/protocol";
import type { ToIsolate } from "@bridle/protocol";

import { deferred } from "../deferred.ts";
import { within } from "../supervision/within.ts";
import { captureLines } from "./capture-lines.ts";
import type { Isolate, IsolateEnd, IsolateListener, ReclaimResult } from "./isolate.ts";
import { hasEnvironmentEntry, isAlive, listProcesses } from "./proc-table.ts";
import { reclaimGroup } from "./reclaim-group.ts";

export interface ThreadIsolateOptions {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly clock: Clock;
  /** `NAME=value` that everything the thread starts has in its environment. */
  readonly environmentEntry: string;
  /** The limit it was started with. */
  readonly heapMegabytes: number;
  /** Contract: called once, when the thread was given up. `ended` resolves should it end after all. */
  readonly onStuck: (ended: Promise<void>) => void;
}

/** A thread that runs JS ends within 3 ms of `terminate()` (measured); beyond this it sits in a native call. */
export const threadPatienceMs = 2000;
const stderrTailLength = 4096;

export class ThreadIsolate implements Isolate {
  readonly isolation = "thread";
  readonly pid = undefined;
  readonly groupId = undefined;
  readonly folder = undefined;
  readonly backlogBytes = 0;
  tasks = 0;
  readonly #options: ThreadIsolateOptions;
  readonly #exited = deferred<true>();
  #listener: IsolateListener | undefined;
  #end: IsolateEnd | undefined;
  #fault: string | undefined;
  #stderrTail = "";
  #isPaused = false;
  /** Taken and not acknowledged, in characters. */
  #owed = 0;

  constructor(options: ThreadIsolateOptions) {
    this.#options = options;
    const { worker, port } = options;
    port.on("message", (text: unknown) => this.#read(text));
    worker.on("error", (error) => this.#failed(error));
    worker.on("exit", (exitCode) => this.#hasExited(exitCode));
    captureLines(worker.stdout, (line) => this.#listener?.onLine("stdout", line));
    captureLines(
      worker.stderr,
      (line) => this.#listener?.onLine("stderr", line),
      (text) => this.#keepTail(text),
    );
  }

  get end(): IsolateEnd | undefined {
    return this.#end;
  }

  send(message: ToIsolate): void {
    if (this.#end === undefined) this.#post(JSON.stringify(message));
  }

  listen(listener: IsolateListener | undefined): void {
    this.#listener = listener;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#acknowledge();
  }

  terminate(): void {
    // A thread gets no signals: only its abort signal can ask it.
  }

  /** Its heap has a limit of its own; what it holds is not told from outside. */
  residentBytes(): undefined {
    return undefined;
  }

  /** Whoever the thread started carries its token; the thread itself is in no table of processes. */
  hasLeftovers(): boolean {
    const { environmentEntry } = this.#options;
    return listProcesses().some(
      (row) => isAlive(row) && hasEnvironmentEntry(row.pid, environmentEntry),
    );
  }

  async reclaim(): Promise<ReclaimResult> {
    const { worker, clock, environmentEntry } = this.#options;
    if (this.#end === undefined) this.#fault ??= "killed";
    // Given up means unreferenced; each `terminate()` would reference it anew.
    const isGivenUp = this.#fault === "abandoned";
    if (!isGivenUp) void worker.terminate();
    const { gone, leftPids } = await reclaimGroup({ pid: undefined, environmentEntry });
    const hasEnded =
      !isGivenUp && (await within(clock, threadPatienceMs, this.#exited.promise)) === true;
    if (!hasEnded) this.#giveUp();
    return { gone: gone && hasEnded, leftPids };
  }

  #giveUp(): void {
    if (this.#fault === "abandoned") return;
    this.#fault = "abandoned";
    const { worker, port, onStuck } = this.#options;
    port.close();
    worker.unref();
    // Each stream that is being read holds the thread's port, and with it this process, until its end.
    for (const stream of [worker.stdout, worker.stderr]) {
      stream.on("error", () => {});
      stream.push(null);
    }
    onStuck(this.#exited.promise.then(() => undefined));
    this.#finish(undefined);
  }

  #read(text: unknown): void {
    if (this.#fault !== undefined) return;
    try {
      if (typeof text !== "string") throw new TypeError("what was posted is no text");
      const message = fromIsolateSchema.parse(JSON.parse(text));
      this.#owed += text.length;
      this.#listener?.onMessage(message, text.length);
      this.#acknowledge();
    } catch (error) {
      this.#fault ??= `frame_invalid: ${error instanceof Error ? error.message : String(error)}`;
      void this.#options.worker.terminate();
    }
  }

  #acknowledge(): void {
    if (this.#isPaused || this.#owed === 0) return;
    this.#post(this.#owed);
    this.#owed = 0;
  }

  #post(message: string | number): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
    this.#options.port.postMessage(message);
  }

  /** Uncaught in the thread: where a process would have written it to stderr. */
  #failed(error: Error & { readonly code?: unknown }): void {
    if (error.code === "ERR_WORKER_OUT_OF_MEMORY") {
      this.#fault ??= `out of memory, its heap reached the limit of ${this.#options.heapMegabytes} MB`;
    }
    this.#keepTail(`${error.stack ?? error.message}\n`);
  }

  #keepTail(text: string): void {
    this.#stderrTail = (this.#stderrTail + text).slice(-stderrTailLength);
  }

  #hasExited(exitCode: number): void {
    this.#exited.resolve(true);
    const { port } = this.#options;
    for (
      let left = receiveMessageOnPort(port);
      left !== undefined;
      left = receiveMessageOnPort(port)
    ) {
      this.#read(left.message);
    }
    port.close();
    // What it printed last is on its way through a stream.
    setImmediate(() => this.#finish(exitCode));
  }

  #finish(exitCode: number | undefined): void {
    if (this.#end !== undefined) return;
    this.#end = {
      exitCode: this.#fault === undefined ? exitCode : undefined,
      signal: undefined,
      fault: this.#fault,
      stderrTail: this.#stderrTail,
    };
    this.#listener?.onEnd(this.#end);
  }
}
