/**
 * Evaluates templates in one warm thread.
 *
 * X1. The main loop never evaluates: it sends text, receives text, and parses at most 1 MiB of each.
 * X2. One request is in the thread at a time; the others wait in order. The thread of one that overruns its time is
 *     terminated. It is tried once more, since a busy machine can keep any thread off its processors for 50 ms and the
 *     answer ends a task for good; then it is answered `expression_timeout`, and those behind it go on.
 * X3. The clock of a request starts when the thread says that it begins, not while a thread loads or the queue waits.
 * X4. A thread that dies of itself (memory limit) fails the request it had and no other. A thread that cannot start fails
 *     the request that waited for it, so that nobody waits for ever.
 * X5. After `close` no thread is left and every request has been answered.
 */
import { Worker } from "node:worker_threads";

import type { Clock, TimerHandle } from "@bridle/kernel";
import type { Bindings, EvaluationAnswer, Expressions } from "@bridle/ports";
import { defaultLimits } from "@bridle/protocol";

import type { EvaluationRequest, EvaluatorMessage } from "./worker-protocol.ts";

export interface ExpressionsOptions {
  readonly clock: Clock;
  /** Milliseconds one template may take. Default 50: a hundred times what an ordinary one needs. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds a thread may take to load. Default 10 s; measured 60–200 ms on two busy cores. */
  readonly startTimeoutMs?: number | undefined;
  /** Characters of the bindings' JSON. Default 1 MiB. */
  readonly maxInputCharacters?: number | undefined;
  /** Megabytes of the thread's heap. Default 64. */
  readonly memoryMb?: number | undefined;
}

/** Threads run plain JavaScript; the path is the same from `src` and from `dist`. */
const threadFile = new URL("../dist/evaluator-thread.js", import.meta.url);

interface Job extends EvaluationRequest {
  readonly secondTry: boolean;
  readonly answer: (answer: EvaluationAnswer) => void;
}

type Fault = Extract<EvaluationAnswer, { ok: false }>;

function fault(code: Fault["code"], message: string): Fault {
  return { ok: false, code, message };
}

/** Warmed, the first request finds its thread loaded; without it the thread starts with the first request. */
export interface WarmExpressions extends Expressions {
  warm(): void;
}

export function createExpressions(options: ExpressionsOptions): WarmExpressions {
  return new ThreadEvaluator({
    clock: options.clock,
    timeoutMs: options.timeoutMs ?? 50,
    startTimeoutMs: options.startTimeoutMs ?? 10_000,
    maxInputCharacters: options.maxInputCharacters ?? defaultLimits.bodyBytes,
    memoryMb: options.memoryMb ?? 64,
  });
}

interface Settings {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly startTimeoutMs: number;
  readonly maxInputCharacters: number;
  readonly memoryMb: number;
}

class ThreadEvaluator implements Expressions {
  readonly #settings: Settings;
  readonly #queue: Job[] = [];
  /** Threads told to end, until they have. */
  readonly #ending = new Set<Promise<unknown>>();
  #thread: Worker | undefined;
  #ready = false;
  #current: Job | undefined;
  #timer: TimerHandle | undefined;
  #lastId = 0;
  #closed = false;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  warm(): void {
    if (this.#thread === undefined && !this.#closed) this.#startThread();
  }

  async evaluate(template: unknown, bindings: Bindings): Promise<EvaluationAnswer> {
    if (this.#closed) return fault("expression_failed", "The evaluator is closed.");
    const text = this.#textOf(template, bindings);
    if (typeof text === "string") return fault("expression_failed", text);
    return new Promise((answer) => {
      this.#lastId += 1;
      this.#queue.push({ id: this.#lastId, secondTry: false, ...text, answer });
      this.#next();
    });
  }

  /** The request as JSON text, or why it cannot be sent. */
  #textOf(
    template: unknown,
    bindings: Bindings,
  ): Pick<EvaluationRequest, "template" | "bindings"> | string {
    const limit = this.#settings.maxInputCharacters;
    try {
      const text = {
        template: JSON.stringify(template ?? null),
        bindings: JSON.stringify(bindings),
      };
      const longest = Math.max(text.bindings.length, text.template.length);
      if (longest <= limit) return text;
      return `The expression would load ${longest} characters; ${limit} are the limit. Pass less from task to task, or a reference.`;
    } catch (error) {
      return `The bindings are no JSON: ${error instanceof Error ? error.message : String(error)}.`;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const closing = fault("expression_failed", "The evaluator was closed before it came to this.");
    for (const job of this.#queue.splice(0)) job.answer(closing);
    this.#current?.answer(closing);
    this.#current = undefined;
    this.#replaceThread();
    await Promise.all(this.#ending);
  }

  #next(): void {
    if (this.#current !== undefined || this.#queue.length === 0 || this.#closed) return;
    if (this.#thread === undefined) this.#startThread();
    this.#holdProcess();
    if (!this.#ready) return;
    const job = this.#queue.shift();
    if (job === undefined) return;
    this.#current = job;
    const { id, template, bindings } = job;
    this.#thread?.postMessage({ id, template, bindings } satisfies EvaluationRequest);
    this.#holdProcess();
  }

  #startThread(): void {
    const thread = new Worker(threadFile, {
      resourceLimits: { maxOldGenerationSizeMb: this.#settings.memoryMb, stackSizeMb: 2 },
      env: {},
      execArgv: [],
      stdin: false,
    });
    this.#thread = thread;
    this.#ready = false;
    // Each handler looks whether it still speaks of the thread in use: one told to end may have words on the way.
    const current = (): boolean => this.#thread === thread;
    thread.on("message", (message: EvaluatorMessage) => current() && this.#onMessage(message));
    thread.on("error", (error) => current() && this.#onDeath(error));
    thread.on("exit", () => current() && this.#onDeath(new Error("the thread ended")));
    this.#arm(this.#settings.startTimeoutMs, () =>
      this.#onDeath(new Error(`no answer for ${this.#settings.startTimeoutMs} ms at its start`)),
    );
    this.#holdProcess();
  }

  /** An idle thread must not keep a process alive; one that owes an answer must. */
  #holdProcess(): void {
    if (this.#current === undefined && this.#queue.length === 0) this.#thread?.unref();
    else this.#thread?.ref();
  }

  #onMessage(message: EvaluatorMessage): void {
    switch (message.type) {
      case "ready":
        this.#timer?.cancel();
        this.#ready = true;
        this.#holdProcess();
        return this.#next();
      case "begun":
        return this.#arm(this.#settings.timeoutMs, () => this.#onTimeout(message.id));
      case "done": {
        this.#timer?.cancel();
        const job = this.#current;
        this.#current = undefined;
        // Our own thread wrote it.
        job?.answer(JSON.parse(message.answer) as EvaluationAnswer);
        this.#holdProcess();
        return this.#next();
      }
    }
  }

  #arm(ms: number, fire: () => void): void {
    this.#timer?.cancel();
    this.#timer = this.#settings.clock.setTimer(ms, fire);
  }

  #onTimeout(id: number): void {
    // Timers come before messages in a turn: an answer that waits behind our own busy loop is given its turn first.
    setImmediate(() => {
      const job = this.#current;
      if (job?.id === id) this.#overrun(job);
    });
  }

  #overrun(job: Job): void {
    const { timeoutMs } = this.#settings;
    this.#current = undefined;
    this.#replaceThread();
    if (job.secondTry) {
      job.answer(fault("expression_timeout", `The expression did not finish in ${timeoutMs} ms.`));
    } else this.#queue.unshift({ ...job, secondTry: true });
    this.warm();
  }

  #onDeath(error: Error): void {
    const failed = fault("expression_failed", `The evaluator's thread failed: ${error.message}.`);
    // With nobody's request in it, it could not even start, and the next one might not either: somebody must be told.
    const job = this.#current ?? this.#queue.shift();
    this.#current = undefined;
    job?.answer(failed);
    this.#replaceThread();
    this.#next();
  }

  /** Gives the thread up; `close` waits for its end. */
  #replaceThread(): void {
    this.#timer?.cancel();
    const thread = this.#thread;
    this.#thread = undefined;
    this.#ready = false;
    if (thread === undefined) return;
    const ended = thread.terminate().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}
