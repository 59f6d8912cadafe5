import type { FleetEvent } from "@bridle/protocol";

/** Events without a run: breakers, workers, guards' own state. Bounded: the oldest leave. */
export interface FleetLog {
  append(events: readonly FleetEvent[]): Promise<void>;
  /** Newest last. */
  read(options: {
    readonly afterId: number;
    readonly limit: number;
  }): Promise<readonly { readonly id: number; readonly event: FleetEvent }[]>;
}
