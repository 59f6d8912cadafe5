import { Worker } from "node:worker_threads";

import type { CodedError } from "@bridle/kernel";
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
  #death: CodedError | undefined;
  #onReady: { resolve: () => void; reject: (error: Error) => void } | undefined;
  #onDumped: ((bytes: Uint8Array) => void) | undefined;
  #onDeath: ((reason: CodedError) => void) | undefined;
  #isClosing = false;

  /** Starts the thread, which loads its code at once: the folder can be looked after meanwhile. */
  constructor() {
    // Without the process's own flags: a loader or a condition for sources is not for compiled code.
    this.#worker = new Worker(threadEntry("pglite-thread"), { execArgv: [] });
    this.#worker.on("message", (message: FromThread) => this.#receive(message));
    this.#worker.on("error", (error) => this.#die(error.message));
    this.#exited = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        if (!this.#isClosing) this.#die("The database thread ended.");
        resolve();
      });
    });
  }

  /** To be called once. Rejects when the database cannot be opened. */
  async open(start: ThreadStart): Promise<void> {
    if (this.#death !== undefined) throw this.#death;
    await new Promise<void>((resolve, reject) => {
      this.#onReady = { resolve, reject };
      this.#post({ type: "open", start });
    });
  }

  /** Why the database cannot be used any more (`store_full`, `store_unavailable`); undefined while it can. */
  get death(): CodedError | undefined {
    return this.#death;
  }

  /** Calls once, with that reason, when the database stops by itself. */
  onDeath(callback: (reason: CodedError) => void): void {
    this.#onDeath = callback;
  }

  openSocket(): MemorySocket {
    const socket = new MemorySocket(this.#nextConnection++, this);
    this.#sockets.set(socket.connection, socket);
    if (this.#death !== undefined) fail(socket, this.#death);
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
    if ("connection" in message) return this.#deliver(message);
    switch (message.type) {
      case "notify":
        this.#notify(message.bytes);
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

  #notify(bytes: Uint8Array): void {
    for (const socket of this.#sockets.values()) if (socket.listens) socket.deliver(bytes);
  }

  #deliver(message: Extract<FromThread, { readonly connection: number }>): void {
    const socket = this.#sockets.get(message.connection);
    if (message.type === "reply") socket?.deliver(message.bytes);
    else
      socket?.fail(
        "25P03",
        "The transaction stood idle and was rolled back: everybody waited for it.",
      );
  }

  #die(message: string): void {
    if (this.#death !== undefined) return;
    const isFull = /no space left|ENOSPC|quota/i.test(message);
    this.#death = bridleError(isFull ? "store_full" : "store_unavailable", {
      message: `The embedded database stopped: ${message}`,
    });
    this.#onReady?.reject(this.#death);
    for (const socket of this.#sockets.values()) fail(socket, this.#death);
    this.#onDeath?.(this.#death);
  }
}

/** With the SQLSTATE a server would give: disk full, or shut down by an administrator. */
function fail(socket: MemorySocket, { code, message }: CodedError): void {
  socket.fail(code === "store_full" ? "53100" : "57P01", message);
}
