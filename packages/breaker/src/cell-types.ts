import type { WindowTotals } from "./ring-window.ts";
import type { Sample, TriggerHit } from "./trigger.ts";

/** BR-12: what an operator can put a breaker into. METRICS_ONLY decides as ever and blocks nothing. */
export type ForcedState = "FORCED_OPEN" | "FORCED_CLOSED" | "DISABLED" | "METRICS_ONLY";
export type BreakerState = "CLOSED" | "OPEN" | "HALF_OPEN" | ForcedState;

/** Who put a hand on it and why, for the event and the audit. */
export interface Operator {
  readonly actor: string;
  readonly reason: string;
}

export interface Forcing extends Operator {
  readonly state: ForcedState;
  /** How long, in ms; until somebody resets it when absent. */
  readonly forMs?: number | undefined;
}

/** Leave to make one call under one key. `generation` is that of the state it was given in (BR-6). */
export interface CellPermit {
  readonly admitted: true;
  readonly generation: number;
  /** `observation`: no call, only the right to report a later failure. `unjudged`: its outcome is not to be counted. */
  readonly kind: "call" | "probe" | "observation" | "unjudged";
  /** The probe's slot; 0 for every other kind. */
  readonly probe: number;
}

export type RefusalReason = "open" | "probes_taken" | "forced_open" | "in_flight_cap";

export interface CellRefusal {
  readonly admitted: false;
  readonly reason: RefusalReason;
  readonly retryAfterMs: number;
}

/** How a permit ended, for one tier. */
export interface CellEnd extends Sample {
  readonly completedProgress: boolean;
  /** What the server asked for, from now; 0 when it did not. */
  readonly retryAfterMs: number;
  /** Names the failure in the event, e.g. `server_error`. */
  readonly failureKind: string | undefined;
}

interface Opened {
  readonly type: "opened";
  readonly hits: readonly TriggerHit[];
  readonly totals: WindowTotals;
  readonly cooldownMs: number;
  readonly openCount: number;
}

/** A change of state that has happened; `atMs` is monotonic. `isEnforced: false`: it blocks nothing. */
export type Transition = { readonly atMs: number; readonly isEnforced?: boolean } & (
  | Opened
  | { readonly type: "half_opened" }
  | { readonly type: "closed"; readonly by?: Operator }
);
