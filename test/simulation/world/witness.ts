/**
 * Sees everything that happens in a world, tells the invariants, and writes the hash of the history.
 *
 * 1. It stands below every process's proxy, directly at the store, so it sees effects, not answers.
 * 2. It looks at a run after each operation that touched it, before anything else can happen.
 */
import { selectEnvelopes, selectOpenHolds } from "@bridle/budget";
import type { CompiledWorkflow } from "@bridle/dag";
import type { MemoryState, RunRecord } from "@bridle/ports/testing";

import type { Breach } from "../invariants/all-invariants.ts";
import type { Observation } from "../invariants/observation.ts";
import { dayOf } from "./day-of.ts";
import { HistoryHash } from "./history-hash.ts";

export interface WitnessOptions {
  readonly state: MemoryState;
  readonly nowMs: () => number;
  /** Undefined: nothing is judged, the history is only written down. */
  readonly check: ((seen: Observation) => Breach | undefined) | undefined;
}

export class Witness {
  readonly #options: WitnessOptions;
  readonly #read = new Map<string, number>();
  readonly #hash = new HistoryHash();
  #breach: Breach | undefined;

  constructor(options: WitnessOptions) {
    this.#options = options;
  }

  /** The first invariant that broke. */
  get breach(): Breach | undefined {
    return this.#breach;
  }

  get hash(): string {
    return this.#hash.text;
  }

  see(observation: Observation): void {
    if (!["ledger", "day", "submitted"].includes(observation.type)) {
      this.#hash.add(`${this.#options.nowMs()} ${JSON.stringify(observation)}`);
    }
    this.#breach ??= this.#options.check?.(observation);
  }

  /** A fault of the product that no invariant is about. */
  fault(invariant: string, message: string): void {
    this.#breach ??= { invariant, message };
  }

  submitted(runId: string): void {
    const run = this.#runOf(runId);
    if (run === undefined || this.#read.has(runId)) return;
    if (this.#options.check !== undefined) {
      const workflow = JSON.parse(run.submitted.compiled) as CompiledWorkflow;
      this.see({ type: "submitted", runId, workflow });
    }
    this.touched(runId);
  }

  touched(runId: string): void {
    const run = this.#runOf(runId);
    if (run === undefined) return;
    const { log, ledger } = run;
    const known = this.#read.get(runId) ?? 0;
    this.#read.set(runId, log.length);
    for (const entry of log.slice(known)) this.see({ type: "entry", runId, entry });
    // Not in the history: what moved the ledger is.
    if (this.#options.check === undefined) return;
    this.see({
      type: "ledger",
      runId,
      envelopes: selectEnvelopes(ledger),
      holds: selectOpenHolds(ledger),
    });
    for (const outer of ledger.grant?.above ?? []) this.see(dayOf(this.#options.state, outer));
  }

  touchedAll(): void {
    for (const runId of this.#options.state.runs.keys()) this.touched(runId);
  }

  /** The store lost its tail: what is in its logs now was seen before. */
  lostTail(): void {
    this.#read.clear();
    for (const [runId, { log }] of this.#options.state.runs) this.#read.set(runId, log.length);
  }

  #runOf(runId: string): RunRecord | undefined {
    // Ids are branded in the store and plain text in observations.
    return this.#options.state.runs.get(runId as RunRecord["submitted"]["runId"]);
  }
}
