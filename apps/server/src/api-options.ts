import type { Bus } from "@bridle/bus";
import type { Clock } from "@bridle/kernel";
import type { Submit } from "@bridle/orchestrator";
import type { Logger, Store } from "@bridle/ports";
import type { AgentList } from "@bridle/protocol";

import type { Authenticator } from "./http/access.ts";
import type { SitePolicy } from "./http/refuse-foreign-request.ts";

/** What one part of this process says about itself. */
export interface PartState {
  readonly name: string;
  /** Its loop turns. False makes `/healthz` fail: only a restart helps. */
  readonly isAlive: boolean;
  /** It can take work. False makes `/readyz` fail. */
  readonly isReady: boolean;
}

/**
 * Asked before each submit with the name of the key that submits (GV-1). Contract: throws `rate_governed` with
 * `details.retryAfterMs`; what it returns takes the count back when no run came of it.
 */
export type GovernRun = (apiKey: string) => () => void;

export interface ApiOptions {
  readonly store: Store;
  readonly submit: Submit;
  readonly governRun: GovernRun;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Logger;
  /** A fresh W3C trace id. */
  readonly newTraceId: () => string;
  readonly authenticator: Authenticator;
  readonly site: SitePolicy;
  readonly agents: AgentList["agents"];
  /** Scheduler and worker, when they share this process. Contract: answers from memory. */
  readonly parts: () => readonly PartState[];
  readonly version: string;
  /** One sentence on what the store survives; `/readyz` tells it to anyone, so it names no host. */
  readonly durability: string;
  readonly limits?: Partial<ApiLimits>;
}

export interface ApiLimits {
  /** Largest body of a request. */
  readonly bodyBytes: number;
  /** How often a stream or a waiting submit looks for itself. */
  readonly pollMs: number;
  readonly pingMs: number;
  readonly slowReaderMs: number;
  /** Streams at once; further ones get 503. */
  readonly streams: number;
  /** How long `/readyz` waits for the store. */
  readonly probeMs: number;
  /** How long the end of the server waits for requests in hand; then their connections are cut. */
  readonly closeMs: number;
}
