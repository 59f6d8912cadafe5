/**
 * The conversation with one isolate about one task.
 *
 * T1. Every message carries the task's token; others are counted and dropped (GC-6).
 * T2. The agent has one last word. What comes after it, or after the channel was cut, is told as late and changes nothing.
 * T3. What it sends is read no faster than it is dealt with (`ReadGate`).
 * T4. Text deltas of an isolate that does not read are joined and, past 1 MiB, left out: the whole text is in the answer.
 */
import type { Clock } from "@bridle/kernel";
import type {
  FromIsolate,
  IsolateRequest,
  IsolateTask,
  Payload,
  ToIsolate,
  WireFault,
} from "@bridle/protocol";

import type { Isolate, IsolateEnd } from "../isolates/isolate.ts";
import { putPayload } from "../wire/payload.ts";
import { creditBytes, ReadGate } from "./read-gate.ts";

export type LastWord =
  | { readonly kind: "result"; readonly output: Payload }
  | { readonly kind: "failed"; readonly fault: WireFault }
  | { readonly kind: "ended"; readonly end: IsolateEnd };

interface TaskChannelListener {
  /** Contract: resolves with the answer's JSON text; rejects only with a coded fault. */
  readonly onRequest: (id: number, request: IsolateRequest) => Promise<string>;
  readonly onBeat: (beat: Extract<FromIsolate, { type: "beat" }>["beat"]) => void;
  readonly onLog: (entry: Extract<FromIsolate, { type: "log" }>) => void;
  readonly onLine: (stream: "stdout" | "stderr", line: string) => void;
  /** Once. */
  readonly onLastWord: (word: LastWord) => void;
  /** A result or failure after the last word or after `cut`. */
  readonly onLateWord: (status: "result" | "failed") => void;
  readonly toFault: (error: unknown) => WireFault;
}

export interface TaskChannelOptions {
  readonly isolate: Isolate;
  readonly token: string;
  readonly clock: Clock;
  readonly listener: TaskChannelListener;
}

const longestDelta = 1024 * 1024;

export class TaskChannel {
  readonly #options: TaskChannelOptions;
  readonly #reading: ReadGate;
  readonly #deltas = new Map<number, string>();
  #hasLastWord = false;
  #isCut = false;
  #files = 0;
  #rested: ((dirty: boolean) => void) | undefined;
  #restedEarly: boolean | undefined;
  /** Messages of another task, or unreadable in this place. */
  dropped = 0;

  constructor(options: TaskChannelOptions) {
    this.#options = options;
    const { isolate, clock } = options;
    this.#reading = new ReadGate({
      clock,
      pause: () => isolate.pause(),
      resume: () => isolate.resume(),
    });
    isolate.listen({
      onMessage: (message, bytes) => this.#hear(message, bytes),
      onLine: (stream, line) => options.listener.onLine(stream, line),
      onEnd: (end) => this.#ended(end),
    });
  }

  start(task: IsolateTask, input: string): void {
    const { token, isolate } = this.#options;
    isolate.send({ type: "start", token, task, input: this.#pack(input) });
  }

  cancel(reason: WireFault): void {
    const { token, isolate } = this.#options;
    isolate.send({ type: "cancel", token, reason });
  }

  nudge(hint: string): void {
    const { token, isolate } = this.#options;
    if (!this.#hasLastWord && !this.#isCut) isolate.send({ type: "nudge", token, hint });
  }

  delta(id: number, text: string): void {
    const joined = (this.#deltas.get(id) ?? "") + text;
    this.#deltas.set(id, joined.length > longestDelta ? "" : joined);
    this.#sendDeltas();
  }

  /** From now on the agent's words come too late. */
  cut(): void {
    this.#isCut = true;
    this.#deltas.clear();
  }

  /** Whether the isolate said that it is clean after its task; false when it says so too late or not at all. */
  async rested(withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.setTimer(withinMs, () => resolve(false));
      this.#rested = (dirty) => {
        timer.cancel();
        resolve(!dirty);
      };
      if (this.#restedEarly !== undefined) this.#rested(this.#restedEarly);
      if (this.#options.isolate.end !== undefined) this.#rested(true);
    });
  }

  #hear(message: FromIsolate, bytes: number): void {
    this.#reading.count();
    if (message.type === "ready" || message.token !== this.#options.token) {
      this.dropped += 1;
      return;
    }
    switch (message.type) {
      case "request":
        void this.#serve(message.id, message.request, bytes);
        break;
      case "beat":
        this.#beat(message.beat);
        break;
      case "log":
        this.#options.listener.onLog(message);
        break;
      case "rested":
        this.#restedEarly = message.dirty;
        this.#sayRested(message.dirty);
        break;
      case "result":
      case "failed":
        this.#lastWord(message);
    }
  }

  #beat(beat: Extract<FromIsolate, { type: "beat" }>["beat"]): void {
    if (!this.#hasLastWord && !this.#isCut) this.#options.listener.onBeat(beat);
  }

  async #serve(id: number, request: IsolateRequest, bytes: number): Promise<void> {
    const { isolate, token, listener } = this.#options;
    this.#reading.hold(bytes);
    try {
      const text = await listener.onRequest(id, request);
      this.#sendDeltas();
      if (!this.#hasLastWord) isolate.send({ type: "answer", token, id, value: this.#pack(text) });
    } catch (error) {
      isolate.send({ type: "refusal", token, id, error: listener.toFault(error) });
    } finally {
      this.#deltas.delete(id);
      this.#reading.hold(-bytes);
    }
  }

  #sayRested(dirty: boolean): void {
    this.#rested?.(dirty);
  }

  #lastWord(message: Extract<FromIsolate, { type: "result" | "failed" }>): void {
    if (this.#hasLastWord || this.#isCut) {
      this.#options.listener.onLateWord(message.type);
      return;
    }
    this.#hasLastWord = true;
    this.#options.listener.onLastWord(
      message.type === "result"
        ? { kind: "result", output: message.output }
        : { kind: "failed", fault: message.error },
    );
  }

  #ended(end: IsolateEnd): void {
    this.#sayRested(true);
    if (this.#hasLastWord) return;
    this.#hasLastWord = true;
    this.#options.listener.onLastWord({ kind: "ended", end });
  }

  #sendDeltas(): void {
    const { isolate, token } = this.#options;
    if (isolate.backlogBytes > creditBytes) return;
    for (const [id, text] of this.#deltas) {
      if (text !== "") isolate.send({ type: "delta", token, id, text } satisfies ToIsolate);
    }
    this.#deltas.clear();
  }

  #pack(text: string): Payload {
    const { isolate, token } = this.#options;
    return putPayload(text, isolate.folder, `in-${token}-${++this.#files}`);
  }
}
