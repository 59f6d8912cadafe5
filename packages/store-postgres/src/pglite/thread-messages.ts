/** Between the process and the thread that holds the database. */
export interface ThreadStart {
  /** Undefined: in memory. */
  readonly dataFolder: string | undefined;
  /** A `dumpDataDir` archive for a database in memory. */
  readonly archive: Uint8Array | undefined;
  readonly idleInTransactionMs: number;
  readonly heartbeat: { readonly file: string; readonly everyMs: number } | undefined;
}

export type ToThread =
  /** The first message: what comes before the database is open waits behind it. */
  | { readonly type: "open"; readonly start: ThreadStart }
  | { readonly type: "run"; readonly connection: number; readonly bytes: Uint8Array }
  | { readonly type: "end"; readonly connection: number }
  | { readonly type: "dump" }
  /** Runs what is queued, then closes the database. */
  | { readonly type: "close" };

export type FromThread =
  | { readonly type: "ready" }
  | { readonly type: "reply"; readonly connection: number; readonly bytes: Uint8Array }
  | { readonly type: "notify"; readonly bytes: Uint8Array }
  /** Its transaction stood idle and was rolled back. */
  | { readonly type: "evict"; readonly connection: number }
  | { readonly type: "dumped"; readonly bytes: Uint8Array }
  | { readonly type: "closed" }
  /** The database cannot go on; the thread ends. */
  | { readonly type: "dead"; readonly message: string };
