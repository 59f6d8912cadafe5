import type { AnyAgent, BridleConfig, ModelPrice } from "@bridle/agent";
import type { Stop, TaskStatus } from "@bridle/protocol";

import type { FakeReply, FakeRequest } from "../fake-llm/index.ts";
import type { Evidence } from "./evidence.ts";

/** The settings of a `bridle.config` that a scenario is played under: its agents, models and providers are its own. */
export type ChaosLimits = Pick<BridleConfig, "guards" | "limits" | "liveness">;

/** What the settings promise, in figures a bound can be made of. */
export interface ImpliedLimits {
  /** Verdicts on a young task are put off by this (WD-10). */
  readonly graceMs: number;
  /** From the order to stop to the kill (WD-13). */
  readonly cancelGraceMs: number;
  /** Failures in a row that open a breaker (BR-3), or those that do by rate when they are fewer (BR-2). */
  readonly failuresToOpen: number;
  /** GV-1. */
  readonly callsPerMinute: number;
  /** Stricter than it is shipped: it may be the first to end what calls again and again. */
  readonly isGovernorStrict: boolean;
}

export interface Place {
  readonly guards: "on" | "off";
  readonly providerUrl: string;
}

/** How a villain may end. */
export interface ExpectedEnd {
  readonly status: TaskStatus;
  /** Of the stop contract; absent where nothing stepped in. */
  readonly reason?: string;
  readonly guard?: Stop["guard"];
}

/** What must hold after a scenario: a sentence when it does not. Pure. */
export interface Check {
  /** The bound that is missed when it says something. */
  readonly name: string;
  readonly fault: (evidence: Evidence, limits: ImpliedLimits) => string | undefined;
}

/** One misbehaviour, the question it asks, and what answers it. */
export interface Scenario {
  readonly name: string;
  readonly question: string;
  readonly agent: AnyAgent;
  readonly input: (place: Place) => Readonly<Record<string, unknown>>;
  /** Of the villain's task: `timeout`, `budget`, `retry`. */
  readonly task?: Readonly<Record<string, unknown>>;
  /** Of the run, beside the villain's task: `timeout`, `budget`. */
  readonly run?: Readonly<Record<string, unknown>>;
  /** In its place with guards off: where what bounds the villain is no guard but a limit of the workflow. */
  readonly runOff?: Readonly<Record<string, unknown>>;
  /** The scenario's own provider; default: honest answers. */
  readonly reply?: (request: FakeRequest) => FakeReply;
  readonly price?: ModelPrice;
  /** A person ends the run when this is in its log: where a guard holds a task back and does not end it. */
  readonly cancelAt?: (event: Readonly<Record<string, unknown>>) => boolean;
  /** Who must act, as the table shows it. */
  readonly guard: Stop["guard"];
  readonly ends: readonly ExpectedEnd[];
  /** Further ends while grace puts a verdict off (WD-10): what bounds every task may come first. */
  readonly endsInGrace?: readonly ExpectedEnd[];
  /** From the villain's first start to its end. */
  readonly withinMs: (limits: ImpliedLimits) => number;
  /** Most requests the provider may have been asked. Absent: none. */
  readonly calls?: (limits: ImpliedLimits) => number;
  readonly checks?: readonly Check[];
  /** With guards off: the loop of the scenario's own length; longer than other villains are watched. */
  readonly offMs?: number;
  /** With guards off it takes all there is of worker and store: played when the others are over, or they would be measured with it. */
  readonly isStorm?: true;
}

/** The task every scenario is about, and the one beside it. */
export const villain = "villain";
export const neighbour = "neighbour";
export const neighbourSteps = 20;
