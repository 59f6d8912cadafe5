/**
 * Sends one run's log to one reader, as server-sent events.
 *
 * T1. Entries go out in the order of their sequence numbers, each once: they are read from the log behind the last one
 *     sent, never taken from messages on the way.
 * T2. A wake-up that falls between a read and the wait for it is not lost; when none comes at all the log is looked at
 *     every `pollMs`.
 * T3. Nothing is written while the reader is behind (B185). Transient events are then dropped: they are not in the log and
 *     nobody is promised them.
 * T4. When the connection closes, every timer and subscription of the stream is gone.
 */
import type { Clock, TimerHandle } from "@bridle/kernel";
import type { RunLog } from "@bridle/ports";
import type { RunId, RunView, TransientEvent } from "@bridle/protocol";

import type { Sink } from "./sink.ts";
import { sseMessage } from "./sse-message.ts";

export interface RunStreamOptions {
  readonly runId: RunId;
  /** The run as it stood when the reader came. */
  readonly view: RunView;
  /** Where `run.finished` stands, when the run had ended by then. */
  readonly finishedSeq: number | undefined;
  /** From `Last-Event-ID`; undefined when the reader is new, NaN when it made no sense. */
  readonly afterSeq: number | undefined;
  readonly sink: Sink;
  readonly runs: Pick<RunLog, "read">;
  readonly clock: Clock;
  readonly listen: (wake: () => void) => () => void;
  readonly listenTransient: (handler: (event: TransientEvent) => void) => () => void;
  readonly pollMs: number;
  readonly pingMs: number;
}

const pageSize = 200;

/** Resolves when `run.finished` was sent or the connection is closed. Rejects when the store does. */
export async function streamRun(options: RunStreamOptions): Promise<void> {
  const { sink, listen, listenTransient } = options;
  const bell = new Bell();
  const stops = [
    listen(() => bell.ring()),
    listenTransient((event) => {
      if (!sink.isBehind) sink.write(sseMessage({ event: event.type, data: event }));
    }),
    every(options.clock, options.pingMs, () => {
      const at = options.clock.wallMs();
      if (!sink.isBehind) sink.write(sseMessage({ event: "ping", data: { at } }));
    }),
    every(options.clock, options.pollMs, () => bell.ring()),
  ];
  sink.onClose(() => bell.ring());
  try {
    await sendLog(options, await begin(options), bell);
  } finally {
    for (const stop of stops) stop();
    sink.end();
  }
}

/** Sends the opening snapshot when one is due, and says behind which entry the log goes on. */
async function begin(options: RunStreamOptions): Promise<number> {
  const { view, finishedSeq, afterSeq } = options;
  if (afterSeq !== undefined && afterSeq >= 0 && afterSeq <= view.seq) return afterSeq;
  // Of an ended run `run.finished` still follows: a number on the snapshot would make a reader skip it.
  const seq = finishedSeq === undefined ? view.seq : undefined;
  const data = afterSeq === undefined ? view : { ...view, resync: true };
  await send(options, sseMessage({ event: "run.snapshot", data, seq }));
  return finishedSeq === undefined ? view.seq : finishedSeq - 1;
}

async function sendLog(options: RunStreamOptions, from: number, bell: Bell): Promise<void> {
  const { runs, runId, sink } = options;
  let afterSeq = from;
  while (!sink.isClosed) {
    bell.reset();
    // oxlint-disable-next-line no-await-in-loop -- each page starts where the last one ended
    const entries = await runs.read(runId, { afterSeq, limit: pageSize });
    for (const entry of entries) {
      // oxlint-disable-next-line no-await-in-loop -- the reader sets the pace
      await send(options, sseMessage({ event: entry.type, data: entry, seq: entry.seq }));
      if (sink.isClosed || entry.type === "run.finished") return;
      afterSeq = entry.seq;
    }
    // oxlint-disable-next-line no-await-in-loop -- waits for the log to grow
    if (entries.length < pageSize && !sink.isClosed) await bell.rung();
  }
}

async function send({ sink }: RunStreamOptions, text: string): Promise<void> {
  if (!sink.write(text)) await sink.drained();
}

/** Remembers a ring until it is asked for (T2). */
class Bell {
  #isRung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  reset(): void {
    this.#isRung = false;
  }

  async rung(): Promise<void> {
    if (this.#isRung) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
  }
}

function every(clock: Clock, periodMs: number, act: () => void): () => void {
  let timer: TimerHandle;
  const arm = (): void => {
    timer = clock.setTimer(periodMs, () => {
      act();
      arm();
    });
  };
  arm();
  return () => timer.cancel();
}
