import type { Clock, TimerHandle } from "@bridle/kernel";
import type { PGlite } from "@electric-sql/pglite";

import { fatalError } from "./fatal-frames.ts";
import { Housekeeping } from "./housekeeping.ts";
import { joinBytes, splitServerFrames } from "./protocol-frames.ts";
import type { FromThread } from "./thread-messages.ts";
import { TransactionAffinity } from "./transaction-affinity.ts";

interface Unit {
  readonly connection: number;
  /** Undefined: the connection's end. */
  readonly bytes: Uint8Array | undefined;
}

export interface SessionOptions {
  readonly database: PGlite;
  readonly clock: Clock;
  readonly idleInTransactionMs: number;
  readonly send: (message: FromThread, transfer?: readonly ArrayBuffer[]) => void;
  /** Called while the database is still inside its own code: must not return. */
  readonly onFatal: (message: string) => void;
}

/** Longest stretch of units before messages that have come meanwhile are looked at. */
const sliceMs = 8;
/** Nothing to do for so long is called idle: time for housekeeping. */
const idleMs = 250;

/**
 * Runs the units of all connections on PGlite's one session. Lives in the database's thread.
 *
 * Invariants
 * 1. The order is that of `TransactionAffinity`.
 * 2. An open transaction whose owner says nothing for `idleInTransactionMs` is rolled back and its connection evicted:
 *    everybody waits for it.
 * 3. `close` resolves after the last queued unit; what comes later is not run.
 * 4. `execProtocolRawStream` only: `execProtocolRawSync` keeps each reply in a list that nobody empties (measured:
 *    42 to 166 MB).
 */
export class PgliteSession {
  readonly #database: PGlite;
  readonly #clock: Clock;
  readonly #idleInTransactionMs: number;
  readonly #send: SessionOptions["send"];
  readonly #onFatal: SessionOptions["onFatal"];
  readonly #affinity = new TransactionAffinity<Unit>();
  readonly #housekeeping = new Housekeeping();
  readonly #evicted = new Set<number>();
  #isPumping = false;
  #guard: TimerHandle | undefined;
  #idle: TimerHandle | undefined;
  #onDrained: (() => void) | undefined;

  constructor(options: SessionOptions) {
    this.#database = options.database;
    this.#clock = options.clock;
    this.#idleInTransactionMs = options.idleInTransactionMs;
    this.#send = options.send;
    this.#onFatal = options.onFatal;
  }

  add(unit: Unit): void {
    if (this.#onDrained !== undefined || this.#evicted.has(unit.connection)) {
      if (unit.bytes === undefined) this.#evicted.delete(unit.connection);
      return;
    }
    this.#affinity.add(unit);
    this.#schedule();
  }

  /** Runs what is queued, rolls an open transaction back, closes the database. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve;
      this.#schedule();
    });
    this.#guard?.cancel();
    this.#idle?.cancel();
    await this.#database.close();
  }

  #schedule(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    this.#guard?.cancel();
    this.#idle?.cancel();
    setImmediate(() => void this.#pump());
  }

  async #pump(): Promise<void> {
    const until = this.#clock.monotonicMs() + sliceMs;
    for (let unit = this.#affinity.next(); unit !== undefined; unit = this.#affinity.next()) {
      // oxlint-disable-next-line no-await-in-loop -- one session, one unit at a time
      await this.#run(unit);
      // oxlint-disable-next-line no-await-in-loop -- between two units
      if (this.#housekeeping.isOverdue && this.#affinity.owner === undefined) await this.#clean();
      if (this.#clock.monotonicMs() > until) break;
    }
    this.#isPumping = false;
    this.#rest();
  }

  /** Decides what the pause after a slice is: more work, a blocked queue, the end, or idleness. */
  #rest(): void {
    if (this.#affinity.isBlocked) {
      if (this.#onDrained !== undefined) return void this.#evict();
      this.#guard = this.#clock.setTimer(this.#idleInTransactionMs, () => void this.#evict());
    } else if (!this.#affinity.isIdle) this.#schedule();
    else if (this.#onDrained !== undefined) this.#onDrained();
    else if (this.#housekeeping.isDue)
      this.#idle = this.#clock.setTimer(idleMs, () => void this.#cleanWhenIdle());
  }

  async #run(unit: Unit): Promise<void> {
    if (unit.bytes === undefined) {
      if (this.#affinity.owner === unit.connection) await this.#rollback(unit.connection);
      return;
    }
    const chunks: Uint8Array[] = [];
    const onRawData = (chunk: Uint8Array): void => {
      // A view into the database's own memory: copied before it runs on.
      chunks.push(chunk.slice());
      const fatal = fatalError(chunks);
      if (fatal !== undefined) this.#onFatal(fatal);
    };
    await this.#database.execProtocolRawStream(unit.bytes, { onRawData, syncToFs: false });
    this.#affinity.ran(unit.connection, this.#database.isInTransaction());
    this.#housekeeping.ran();
    const { reply, notifications } = splitServerFrames(joinBytes(chunks));
    // `joinBytes` and `splitServerFrames` give arrays that own their buffer, so it can move to the other thread.
    this.#send({ type: "reply", connection: unit.connection, bytes: reply }, [
      reply.buffer as ArrayBuffer,
    ]);
    if (notifications !== undefined) this.#send({ type: "notify", bytes: notifications });
  }

  async #rollback(connection: number): Promise<void> {
    await this.#database.exec("ROLLBACK");
    this.#affinity.ran(connection, this.#database.isInTransaction());
  }

  async #evict(): Promise<void> {
    const owner = this.#affinity.owner;
    if (owner === undefined || this.#isPumping) return;
    this.#isPumping = true;
    this.#evicted.add(owner);
    await this.#rollback(owner);
    this.#send({ type: "evict", connection: owner });
    this.#isPumping = false;
    this.#rest();
  }

  async #cleanWhenIdle(): Promise<void> {
    if (this.#isPumping || this.#affinity.owner !== undefined) return;
    this.#isPumping = true;
    await this.#clean();
    this.#isPumping = false;
    this.#rest();
  }

  async #clean(): Promise<void> {
    const tables = await this.#database.query<{ name: string }>(this.#housekeeping.findTables);
    this.#housekeeping.cleaned();
    if (tables.rows.length === 0) return;
    await this.#database.exec(`VACUUM ${tables.rows.map(({ name }) => name).join(", ")}`);
  }
}
