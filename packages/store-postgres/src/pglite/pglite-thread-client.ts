import { Worker } from "node:worker_threads";

import { bridleError } from "@bridle/protocol";

import { MemorySocket, type SessionPort } from "./memory-socket.ts";
import { threadEntry } from "./thread-entry.ts";
import type { FromThread, ThreadStart, ToThread } from "./thread-messages.ts";

/**
 * The process's side of the database thread.
 *
 * Invariants
 * 1. Notifications go to every socket that has ever sent LISTEN: the one session listens for all.
 * 2. When the thread dies, every socket fails at once and none can be opened again.
 * 3. `close` resolves after the database has closed itself, or the thread has ended in any other way.
 */
export class PgliteThread implements SessionPort {
  readonly #worker: Worker;
  readonly #sockets = new Map<number, MemorySocket>();
  readonly #exited: Promise<void>;
  #nextConnection = 1;
  #death: string | undefined;
  #onReady: { resolve: () => void; reject: (error: Error) => void } | undefined;
  #onDumped: ((bytes: Uint8Array) => void) | undefined;
  #isClosing = false;

  private constructor(start: ThreadStart) {
    this.#worker = new Worker(threadEntry("pglite-thread"), { workerData: start });
    this.#worker.on("message", (message: FromThread) => this.#receive(message));
    this.#worker.on("error", (error) => this.#die(error.message));
    this.#exited = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        if (!this.#isClosing) this.#die("The database thread ended.");
        resolve();
      });
    });
  }

  /** Rejects when the database cannot be opened. */
  static async start(start: ThreadStart): Promise<PgliteThread> {
    const thread = new PgliteThread(start);
    await new Promise<void>((resolve, reject) => {
      thread.#onReady = { resolve, reject };
    });
    return thread;
  }

  /** Why the database cannot be used any more; undefined while it can. */
  get death(): string | undefined {
    return this.#death;
  }

  openSocket(): MemorySocket {
    const socket = new MemorySocket(this.#nextConnection++, this);
    this.#sockets.set(socket.connection, socket);
    if (this.#death !== undefined) socket.fail("57P01", this.#death);
    return socket;
  }

  run(connection: number, bytes: Uint8Array): void {
    this.#post({ type: "run", connection, bytes }, [bytes.buffer as ArrayBuffer]);
  }

  end(connection: number): void {
    this.#sockets.delete(connection);
    this.#post({ type: "end", connection });
  }

  /** The data folder as a tar archive. */
  async dump(): Promise<Uint8Array> {
    return new Promise((resolve) => {
      this.#onDumped = resolve;
      this.#post({ type: "dump" });
    });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#post({ type: "close" });
    await this.#exited;
  }

  #post(message: ToThread, transfer: readonly ArrayBuffer[] = []): void {
    if (this.#death === undefined) this.#worker.postMessage(message, transfer);
  }

  #receive(message: FromThread): void {
    switch (message.type) {
      case "reply":
        this.#sockets.get(message.connection)?.deliver(message.bytes);
        break;
      case "notify":
        for (const socket of this.#sockets.values())
          if (socket.listens) socket.deliver(message.bytes);
        break;
      case "evict":
        this.#sockets
          .get(message.connection)
          ?.fail(
            "25P03",
            "The transaction stood idle and was rolled back: everybody waited for it.",
          );
        break;
      case "dumped":
        this.#onDumped?.(message.bytes);
        break;
      case "ready":
        this.#onReady?.resolve();
        break;
      case "dead":
        this.#die(message.message);
        break;
      case "closed":
        break;
    }
  }

  #die(message: string): void {
    if (this.#death !== undefined) return;
    this.#death = message;
    this.#onReady?.reject(bridleError("store_unavailable", { message }));
    const sqlState = /no space left|ENOSPC|quota/i.test(message) ? "53100" : "57P01";
    for (const socket of this.#sockets.values()) socket.fail(sqlState, message);
  }
}
