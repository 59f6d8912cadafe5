import type { Attempts, StepJournal } from "./attempts.ts";
import type { Feed } from "./feed.ts";
import type { FleetLog } from "./fleet-log.ts";
import type { Inbox } from "./inbox.ts";
import type { Leases } from "./leases.ts";
import type { Ledger } from "./ledger.ts";
import type { Outbox } from "./outbox.ts";
import type { ResultCache } from "./result-cache.ts";
import type { RunIndex } from "./run-index.ts";
import type { RunLog } from "./run-log.ts";
import type { Timers } from "./timers.ts";

/** Every state port on one store: operations that touch several are atomic there. */
export interface Store {
  readonly runs: RunLog;
  readonly index: RunIndex;
  readonly attempts: Attempts;
  readonly steps: StepJournal;
  readonly ledger: Ledger;
  readonly inbox: Inbox;
  readonly timers: Timers;
  readonly leases: Leases;
  readonly feed: Feed;
  readonly fleet: FleetLog;
  readonly cache: ResultCache;
  readonly outbox: Outbox;
  /** Rejects with `store_unavailable` when the store does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
