import { alertSources, eventClasses } from "@bridle/protocol";
import type { DecisionEvent, EventType, FleetEvent, JournalEvent } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { contractWallMs, hostileText } from "./contract-fixtures.ts";
import { ContractRun } from "./contract-run.ts";
import { useStore } from "./store-under-test.ts";
import type { CreateStore } from "./store-under-test.ts";

const sources: ReadonlySet<string> = new Set(alertSources);
const types = Object.keys(eventClasses) as EventType[];
const at = contractWallMs;

function typesOf(eventClass: string): readonly EventType[] {
  return types.filter((type) => eventClasses[type] === eventClass);
}

/** Which log entries any store keeps for whoever raises alerts: what an `Outbox` promises beyond its own moves. */
export function signalsContract(createStore: CreateStore): void {
  describe("signals of alerts", () => {
    const subject = useStore(createStore);
    const signalsFrom = async (prefix: string) =>
      (await subject.store.outbox.signals(100_000)).filter(({ source }) =>
        source.startsWith(`${prefix}.`),
      );

    it("[E4] are the decisions and journal entries of their types, each by its place in the log", async () => {
      const run = await ContractRun.submit(subject.store);
      await run.schedule();
      const { runId } = run;
      // Only the type matters here; the text looks like another type and must not count as one.
      const text = `${hostileText}{"type":"run.paused"}`;
      const journal = typesOf("journal").map((type) => ({ type, at, runId, reason: text }));
      const decisions = typesOf("decision").map((type) => ({ type, at, runId, reason: text }));
      await subject.store.runs.journal(run.spender(), journal as unknown as JournalEvent[]);
      await run.commit({ events: decisions as unknown as DecisionEvent[] });
      const log = await run.log();
      const expected = log
        .filter(({ type }) => sources.has(type))
        .map(({ seq, ...event }) => ({ source: `${runId}.${seq}`, event }));
      const signals = await signalsFrom(runId);
      expect(signals.map(({ source, event }) => ({ source, event }))).toEqual(expected);
      // The control: there were others in the log.
      expect(log.length).toBeGreaterThan(expected.length);
    });

    it("[E4] are the fleet's of their types", async () => {
      const before = (await signalsFrom("fleet")).length;
      const events = typesOf("fleet").map((type) => ({ type, at, reason: hostileText }));
      await subject.store.fleet.append(events as unknown as FleetEvent[]);
      const told = (await signalsFrom("fleet")).slice(before).map(({ event }) => event);
      expect(told).toEqual(events.filter(({ type }) => sources.has(type)));
    });

    it("[E4] [G6] are what the ledger writes when an envelope trips or is overrun", async () => {
      const run = await ContractRun.submit(subject.store);
      await run.schedule();
      await run.claim();
      await run.reserve("h", 100);
      await run.dispatch("h");
      await run.settle("h", 950);
      const told = (await signalsFrom(run.runId)).map(({ event }) => event.type);
      expect(told).toEqual(["budget.overrun", "budget.exhausted", "budget.exhausted"]);
    });

    it("[E4] are not there when the commit is refused, and are gone once a fold has answered them", async () => {
      const run = await ContractRun.submit(subject.store);
      const { outbox } = subject.store;
      await run.commit({ expectedDecisions: 99, events: [run.finished()] });
      expect(await signalsFrom(run.runId)).toEqual([]);
      await run.commit({ events: [run.finished()] });
      const consumed = (await signalsFrom(run.runId)).map(({ id }) => id);
      expect(consumed).toHaveLength(1);
      const fold = { lease: run.lease, consumed, state: "{}", alerts: [], at };
      expect(await outbox.fold(fold)).toBe(true);
      expect(await signalsFrom(run.runId)).toEqual([]);
    });
  });
}
