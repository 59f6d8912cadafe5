/**
 * Follows one run over server-sent events until it ends.
 *
 * F1. Each log entry is yielded once, in the order of its sequence number, however often the connection breaks.
 * F2. After a break the stream goes on behind the last number seen (`Last-Event-ID`); only the server can answer with a
 *     new `run.snapshot` instead (a resync), which replaces what was known.
 * F3. Nothing heard for `silenceMs` counts as a break: the server pings every 15 s.
 * F4. Ends after `run.finished`; gives up with `server_unreachable` when nothing was heard for `giveUpMs`.
 */
import { CodedError, sleep } from "@bridle/kernel";
import type { Random } from "@bridle/kernel";

import { send, unreachable } from "./http.ts";
import type { Connection } from "./http.ts";
import { SseParser } from "./sse-parser.ts";
import type { SseMessage } from "./sse-parser.ts";

export interface StreamMessage {
  /** A type of the event table, `run.snapshot` or `ping`. */
  readonly event: string;
  /** Sequence number in the run's log; absent on transient events and pings. */
  readonly seq?: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface FollowOptions {
  /** Go on behind this sequence number; 0 replays the whole log, absent starts with a snapshot. */
  readonly afterSeq?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Default 45 s: three missed pings. */
  readonly silenceMs?: number | undefined;
  /** Default 30 s. */
  readonly giveUpMs?: number | undefined;
  /** Contract: called once per break, must not throw. */
  readonly onBreak?: ((error: unknown) => void) | undefined;
}

interface Position {
  seq: number | undefined;
  heardAtMs: number;
  finished: boolean;
  breaks: number;
}

export async function* followRun(
  connection: Connection & { readonly random: Random },
  runId: string,
  options: FollowOptions,
): AsyncGenerator<StreamMessage, void> {
  const { clock } = connection;
  const at: Position = {
    seq: options.afterSeq,
    heardAtMs: clock.monotonicMs(),
    finished: false,
    breaks: 0,
  };
  for (;;) {
    try {
      yield* oneConnection(connection, runId, options, at);
      if (at.finished) return;
    } catch (error) {
      if (options.signal?.aborted === true || isFinal(error)) throw error;
      options.onBreak?.(error);
    }
    if (clock.monotonicMs() - at.heardAtMs > (options.giveUpMs ?? 30_000)) {
      throw unreachable(connection.url, new Error("the event stream does not come back"));
    }
    // oxlint-disable-next-line no-await-in-loop -- connections follow one another
    await sleep({ clock, ms: pauseMs(at.breaks++, connection.random), signal: options.signal });
  }
}

/** A quarter of a second, doubling to four, plus up to half again so that followers do not come back in step. */
function pauseMs(breaks: number, random: Random): number {
  return Math.min(250 * 2 ** breaks, 4000) * (1 + random.next() / 2);
}

/** An answer that asking again will not change: no such run, no right to see it. */
function isFinal(error: unknown): boolean {
  return CodedError.is(error) && !error.retryable;
}

// oxlint-disable-next-line max-params -- the state shared by the connections of one follow
async function* oneConnection(
  connection: Connection,
  runId: string,
  options: FollowOptions,
  at: Position,
): AsyncGenerator<StreamMessage, void> {
  const silence = new AbortController();
  const signal =
    options.signal === undefined
      ? silence.signal
      : AbortSignal.any([silence.signal, options.signal]);
  const guard = armSilence(connection, silence, options.silenceMs ?? 45_000);
  try {
    const response = await send(connection, {
      method: "GET",
      path: `/runs/${encodeURIComponent(runId)}/stream`,
      headers: {
        accept: "text/event-stream",
        ...(at.seq === undefined ? {} : { "last-event-id": String(at.seq) }),
      },
      signal,
    });
    // 204: everything up to `run.finished` was seen before.
    at.finished = response.status === 204;
    if (response.body === null) return;
    for await (const message of messagesOf(response.body, guard.heard)) {
      at.heardAtMs = connection.clock.monotonicMs();
      at.breaks = 0;
      const read = take(message, at);
      if (read !== undefined) yield read;
      if (at.finished) return;
    }
  } finally {
    guard.cancel();
    silence.abort();
  }
}

function armSilence(connection: Connection, silence: AbortController, silenceMs: number) {
  const arm = () =>
    connection.clock.setTimer(silenceMs, () =>
      silence.abort(unreachable(connection.url, new Error(`silent for ${silenceMs} ms`))),
    );
  let timer = arm();
  return {
    heard: (): void => {
      timer.cancel();
      timer = arm();
    },
    cancel: (): void => timer.cancel(),
  };
}

async function* messagesOf(
  body: ReadableStream<Uint8Array>,
  heard: () => void,
): AsyncGenerator<SseMessage, void> {
  const parser = new SseParser();
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    heard();
    yield* parser.push(decoder.decode(bytes, { stream: true }));
  }
}

/** Undefined for what was already yielded (F1). */
function take(message: SseMessage, at: Position): StreamMessage | undefined {
  const seq = message.id === undefined ? undefined : Number(message.id);
  const isSnapshot = message.event === "run.snapshot";
  if (seq !== undefined && !isSnapshot && at.seq !== undefined && seq <= at.seq) return undefined;
  if (seq !== undefined) at.seq = seq;
  if (message.event === "run.finished") at.finished = true;
  // The server writes objects only; what they hold is for the reader to check against the event table.
  const data = JSON.parse(message.data) as Record<string, unknown>;
  return { event: message.event, data, ...(seq === undefined ? {} : { seq }) };
}
