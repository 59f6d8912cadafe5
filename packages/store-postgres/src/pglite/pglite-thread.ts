/** Entry of the thread that holds the embedded database. Runs from plain JavaScript. */
import { utimesSync } from "node:fs";
import { parentPort } from "node:worker_threads";

import { RingBuffer } from "@bridle/kernel";
import { systemClock } from "@bridle/kernel/system";
import { PGlite } from "@electric-sql/pglite";

import { PgliteSession } from "./pglite-session.ts";
import type { FromThread, ThreadStart, ToThread } from "./thread-messages.ts";

const port = parentPort;
if (port === null) throw new Error("This module is the entry of a worker thread.");

function send(message: FromThread, transfer: readonly ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer);
}

/** What Postgres said last; on an abort the error itself only says that it aborted. */
const complaints = new RingBuffer<string>(20);

function die(message: string): void {
  const details = complaints
    .toArray()
    .filter((line) => /FATAL|PANIC/.test(line) && !line.includes(message));
  send({ type: "dead", message: [message, ...details].join("; ") });
  // Its memory may be in any state now: nothing may run on it, and closing it would write.
  process.exit(1);
}

function dieOf(error: unknown): void {
  die(error instanceof Error ? error.message : String(error));
}

process.on("uncaughtException", dieOf);
process.on("unhandledRejection", dieOf);

const startParams = [
  // One session for all: BullMQ's statements name its tables bare, the store's never do.
  ...PGlite.defaultStartParams.map((parameter) =>
    parameter === "search_path=public" ? "search_path=bullmq,public" : parameter,
  ),
  // Nothing analyses tables here, and a plan made while a table was small is kept while it grows.
  "-c",
  "enable_seqscan=off",
  // All of it becomes resident at start: the default of 128 MB was a quarter of the process's memory. What does not fit
  // is read again from the operating system's own cache.
  "-c",
  "shared_buffers=32MB",
];

async function openDatabase({ dataFolder, archive }: ThreadStart): Promise<PGlite> {
  return PGlite.create({
    ...(dataFolder === undefined ? {} : { dataDir: dataFolder }),
    ...(archive === undefined
      ? {}
      : { loadDataDir: new Blob([archive as Uint8Array<ArrayBuffer>]) }),
    onStderr: (line) => {
      complaints.push(line);
      return false;
    },
    // Smaller log segments: with the usual ones half of a new data folder is log, and copying it half of a cold start.
    initDbStartParams: ["--wal-segsize=4"],
    startParams,
  });
}

interface Opened {
  readonly database: PGlite;
  readonly session: PgliteSession;
}

let opened: Promise<Opened> | undefined;

async function open(start: ThreadStart): Promise<Opened> {
  const database = await openDatabase(start);
  const session = new PgliteSession({
    database,
    clock: systemClock,
    idleInTransactionMs: start.idleInTransactionMs,
    send,
    onFatal: die,
  });
  if (start.heartbeat !== undefined) beat(start.heartbeat);
  port?.on("message", (message: ToThread) => {
    if (message.type === "run") session.add(message);
    else if (message.type === "end")
      session.add({ connection: message.connection, bytes: undefined });
  });
  send({ type: "ready" });
  return { database, session };
}

function beat({ file, everyMs }: NonNullable<ThreadStart["heartbeat"]>): void {
  const touch = (): void => {
    const now = new Date();
    try {
      utimesSync(file, now, now);
    } catch {
      // The folder is gone or full: the next statement says so better than this could.
    }
  };
  setInterval(touch, everyMs).unref();
}

port.on("message", (message: ToThread) => {
  if (message.type === "open") opened = open(message.start);
  else if (message.type === "dump") void dump();
  else if (message.type === "close") void close();
});

async function dump(): Promise<void> {
  const archive = await (await opened)?.database.dumpDataDir("none");
  if (archive !== undefined)
    send({ type: "dumped", bytes: new Uint8Array(await archive.arrayBuffer()) });
}

async function close(): Promise<void> {
  await (await opened)?.session.close();
  send({ type: "closed" });
  port?.close();
}
