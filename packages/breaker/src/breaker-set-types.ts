import type { Clock, Random } from "@bridle/kernel";
import type { FleetEvent } from "@bridle/protocol";

import type { BreakerSettings } from "./breaker-settings.ts";
import type { RefusalReason } from "./cell-types.ts";
import type { Tier } from "./parse-key.ts";
import type { Routed } from "./route-outcome.ts";

/** GC-4: `warn` decides as ever, tells what it would have done and blocks nothing; `off` does nothing at all. */
export type GuardMode = "enforce" | "warn" | "off";

export interface BreakerSetOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Contract: called after the state is set, in order, once per transition. What it throws is contained and counted. */
  readonly emit: (event: FleetEvent) => void;
  /** Names the process in its events: each has breakers of its own, and they may disagree. */
  readonly bootId?: string | undefined;
  readonly settings?: Partial<BreakerSettings> | undefined;
  /** Settings of single keys, over `settings`. */
  readonly settingsByKey?: Readonly<Record<string, Partial<BreakerSettings>>> | undefined;
  /** Default `enforce`. */
  readonly mode?: GuardMode | undefined;
  /** Keys above which idle ones are forgotten. Default 4,096: about 6 MB. */
  readonly maxKeys?: number | undefined;
}

/** B6: which breaker refused, why, and when to come back. Nothing was taken and nothing may be sent. */
export interface BreakerRefusal {
  readonly allowed: false;
  readonly key: string;
  readonly tier: Tier;
  readonly reason: RefusalReason;
  readonly retryAfterMs: number;
}

export type BreakerCheck = { readonly allowed: true } | BreakerRefusal;
export type BreakerAdmission = { readonly allowed: true; readonly permit: Permit } | BreakerRefusal;

/** `giveBack`: the call was not made, or says nothing about anybody. */
export type PermitOutcome = "success" | "giveBack" | Routed;

/** What is known when a call ends. Everything defaults to "nothing to say". */
export interface PermitFacts {
  /** Tokens it used, input and output. */
  readonly tokens?: number | undefined;
  /** A finished text, a finished tool call, a delivery: what alone makes a probe succeed (BR-10). */
  readonly completedProgress?: boolean | undefined;
  /** The server's Retry-After, from now. */
  readonly retryAfterMs?: number | undefined;
  readonly traceId?: string | undefined;
  /** Token limit of the envelope that pays, for the burn floor (BR-4). */
  readonly envelopeTokens?: number | undefined;
}

/** Leave to make one wire call. */
export interface Permit {
  /** True when any of its breakers admitted it as a probe: then its owner renews it (BR-9). */
  readonly isProbe: boolean;
  /** Call exactly once, when the whole outcome is known: for a stream at its end (BR-15). Later calls do nothing. */
  end(outcome: PermitOutcome, facts?: PermitFacts): void;
  /** Keeps probe leases; every 20 s is plenty. False once its outcome no longer counts. */
  renew(): boolean;
}

/** The right to say how a task ended, under the generations in which it began (BR-6). Holds no slot. */
export interface TaskWatch {
  /** `success`: the task completed. Later calls do nothing. */
  end(outcome: PermitOutcome, facts?: Pick<PermitFacts, "traceId">): void;
}
