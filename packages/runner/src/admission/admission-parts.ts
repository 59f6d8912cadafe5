import type { GuardMode } from "@bridle/agent";
import type { BreakerSet, Governor } from "@bridle/breaker";
import type { Clock, CodedError, Ids } from "@bridle/kernel";
import type { Ledger } from "@bridle/ports";
import type { JournalEvent, Spender } from "@bridle/protocol";

import type { HoldKeeper } from "./hold-keeper.ts";
import type { ReserveQueue } from "./reserve-queue.ts";
import type { UnsettledCalls } from "./unsettled-calls.ts";

/** What the gate of one attempt works with. `queue`, `holds`, `unsettled`, `breakers` and `governor` are the worker's. */
export interface AdmissionParts {
  readonly spender: Spender;
  readonly traceId: string;
  readonly envelopeTokens?: number | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly ledger: Ledger;
  readonly breakers: BreakerSet;
  readonly governor: Pick<Governor, "admitCall">;
  readonly budgetMode: GuardMode;
  /** What the scheduler set aside for this task when it stepped in for others (BU-19); its calls may then use the ladder's credit. */
  readonly openingHold: string | undefined;
  readonly holds: HoldKeeper;
  readonly unsettled: UnsettledCalls;
  readonly queue: ReserveQueue;
  /** BU-21: how long a step waits for a ledger that is away. */
  readonly fenceMs: number;
  /** Ends waits in the queue. */
  readonly signal: AbortSignal;
  readonly journal: (event: JournalEvent) => void;
  /** Why this worker may take no step now (WD-17), if so. */
  readonly refusesSteps: () => CodedError | undefined;
  /** A step was settled: the watchdog may hear of it. */
  readonly onSettled: (step: number) => void;
}
