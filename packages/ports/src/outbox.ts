import type { DeliveryStatus, FleetEvent, RunEvent } from "@bridle/protocol";

/** A log entry that may be an alert, or end one. */
export interface AlertSignal {
  /** Names it in `consumed`. */
  readonly id: string;
  /** `<run>.<seq>` or `fleet.<id>`: the same whoever reads it. */
  readonly source: string;
  readonly event: RunEvent | FleetEvent;
}

export interface NewAlert {
  /** The source of the first signal it tells. Storing it again changes nothing. */
  readonly id: string;
  /** The alert as JSON text. */
  readonly body: string;
  /** Names of the receivers it is to reach; may be none. */
  readonly destinations: readonly string[];
}

/** What whoever raises alerts stores in one atomic step. */
export interface AlertFold {
  /** The lease it is done under; an older epoch is refused. */
  readonly lease: { readonly name: string; readonly epoch: number };
  /** Signals that are answered by it; they are gone with it. */
  readonly consumed: readonly string[];
  /** What has to be known for the next fold, as JSON text. */
  readonly state: string;
  readonly alerts: readonly NewAlert[];
  /** Wall ms; what is new is due at once. */
  readonly at: number;
}

export interface DueDelivery {
  readonly alertId: string;
  readonly destination: string;
  readonly body: string;
  /** Tries so far. */
  readonly attempts: number;
  /** Wall ms at which its alert was raised. */
  readonly createdAt: number;
}

export interface DeliveryRecord {
  readonly destination: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly nextAt: number;
  readonly error?: string | undefined;
}

export interface AlertRecord {
  readonly id: string;
  readonly body: string;
  readonly deliveries: readonly DeliveryRecord[];
}

/** How a try ended. `at`: wall ms. */
export type DeliveryOutcome =
  | { readonly status: "delivered"; readonly at: number }
  | { readonly status: "pending"; readonly nextAt: number; readonly error: string }
  | { readonly status: "dead"; readonly error: string };

/**
 * Alerts between their decision and their receivers.
 * Contract: every entry of a type in `alertSources` that a run's log or the fleet log takes is a signal, in the same commit,
 * until a fold consumes it. Signals and alerts are bounded: the oldest leave, with their deliveries.
 */
export interface Outbox {
  /** Oldest first. */
  signals(limit: number): Promise<readonly AlertSignal[]>;
  /** What the last fold stored. */
  state(): Promise<string | undefined>;
  /** False when the lease is another's by now: nothing was stored. */
  fold(fold: AlertFold): Promise<boolean>;
  /**
   * Pending deliveries of that receiver whose time has come, the one that has been due longest first, then in the order their alerts
   * were raised: one that fails again and again must not keep the newer ones back.
   */
  due(query: {
    readonly destination: string;
    readonly now: number;
    readonly limit: number;
  }): Promise<readonly DueDelivery[]>;
  /** Books a try. A delivery that is no longer pending stays as it is. */
  settle(
    delivery: Pick<DueDelivery, "alertId" | "destination">,
    outcome: DeliveryOutcome,
  ): Promise<void>;
  /** Gives up what has been pending since before then; returns what that was. */
  expire(
    createdBefore: number,
    error: string,
  ): Promise<readonly Pick<DueDelivery, "alertId" | "destination">[]>;
  /** Newest first; the figures are of everything. */
  list(limit: number): Promise<{
    readonly alerts: readonly AlertRecord[];
    readonly pending: number;
    readonly dead: number;
  }>;
}
