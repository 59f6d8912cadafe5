import { initialLedger, reduceLedger, selectEnvelope, selectEnvelopes } from "@bridle/budget";
import type { RunCommand, RunInput } from "@bridle/dag";
import { asRunId, asTaskId, noAmounts, unlimited } from "@bridle/protocol";
import type { Amounts, EnvelopeState } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { EnvelopeBook } from "../src/envelope-book.ts";
import { withRoomLeft } from "../src/with-room.ts";

const amounts = (tokens: number): Amounts => ({ tokens, nanoUsd: unlimited, calls: unlimited });

function envelope(name: string, limit: number, more: Partial<EnvelopeState> = {}): EnvelopeState {
  return {
    envelope: name,
    limit: amounts(limit),
    creditMode: "credit",
    onTrip: "nothing",
    settled: noAmounts,
    reserved: noAmounts,
    tripped: false,
    closed: false,
    frozenBy: [],
    ...more,
  };
}

const child = (taskId: string, carvedFrom: string, limit: number): RunCommand => ({
  type: "open-envelope",
  taskId: asTaskId(taskId),
  carvedFrom: asTaskId(carvedFrom),
  terms: { limit: amounts(limit), creditMode: "credit", onTrip: "nothing" },
});

// Of a refusal only its type and its room are read here.
const refused = (room: Amounts): RunInput => ({ type: "task-finished", room }) as RunInput;

describe("[S6] what can be carved", () => {
  it("is what every level can set aside, and no limit where none has one", () => {
    const held = { reserved: { tokens: 30, nanoUsd: 0, calls: 0 } };
    const book = new EnvelopeBook([envelope("run", 100, held), envelope("a", 90)]);
    expect(book.roomBelow("a")).toEqual(amounts(70));
  });

  it("less what the same batch has carved: two at once do not get the same money", () => {
    const book = new EnvelopeBook([envelope("run", 100), envelope("a", 100), envelope("b", 100)]);
    book.open(child("a.1", "a", 60));
    expect(book.roomBelow("a")).toEqual(amounts(40));
    expect(book.roomBelow("b")).toEqual(amounts(40));
    // What it was given is its own: its siblings take nothing of it.
    expect(book.roomBelow("a.1")).toEqual(amounts(60));
    book.open(child("a.1.1", "a.1", 50));
    expect(book.roomBelow("a.1")).toEqual(amounts(10));
    expect(book.roomBelow("a")).toEqual(amounts(40));
  });

  it("less what the same batch keeps for a stand-in, which in turn gets less what was carved of the run's own", () => {
    const book = new EnvelopeBook([envelope("run", 100), envelope("a", 100)]);
    book.open(child("a.1", "a", 60));
    // Set aside already: it costs the run nothing more.
    book.open(child("a.1.1", "a.1", 50));
    expect(book.takenOfRun).toEqual({ tokens: 60, nanoUsd: 0, calls: 0 });
    expect(withRoomLeft(refused(amounts(100)), book.takenOfRun)).toMatchObject({
      room: { tokens: 40 },
    });
    const opening = { tokens: 30, nanoUsd: 5, calls: 1 };
    book.open({
      type: "reserve-opening",
      taskId: asTaskId("quick"),
      holdId: "opening",
      amounts: opening,
    });
    expect(book.takenOfRun).toEqual({ tokens: 90, nanoUsd: 5, calls: 1 });
    expect(book.roomBelow("a")?.tokens).toBe(10);
  });

  it("no more than a day above has given and could give", () => {
    const above = { granted: amounts(20), left: amounts(15) };
    const book = new EnvelopeBook([envelope("run", 100, { above }), envelope("a", 100)]);
    expect(book.roomBelow("a")?.tokens).toBe(35);
  });

  it.each([
    ["closed", { closed: true }],
    ["tripped", { tripped: true }],
    ["frozen", { frozenBy: ["x"] }],
  ])("is nothing below what is %s", (_, state) => {
    const book = new EnvelopeBook([envelope("run", 100, state), envelope("a", 90)]);
    expect(book.roomBelow("a")).toBeUndefined();
    expect(book.roomBelow("nobody")).toBeUndefined();
  });

  it("is what the ledger then gives, whatever was carved before", () => {
    const names = ["a", "a.1", "a.2", "a.1.1"] as const;
    const move = fc.record({ name: fc.constantFrom(...names), limit: fc.nat(60) });
    fc.assert(
      fc.property(fc.array(move, { maxLength: 8 }), fc.nat(80), (moves, asked) => {
        const runId = asRunId("run_1");
        const terms = { limit: amounts(100), creditMode: "credit", onTrip: "nothing" } as const;
        const ledger = initialLedger({ runId, terms });
        reduceLedger(ledger, { type: "open", taskId: asTaskId("a"), terms });
        const book = new EnvelopeBook(selectEnvelopes(ledger));
        const carve = (name: string, limit: number): void => {
          const command = child(name, name.slice(0, name.lastIndexOf(".")), limit);
          if (command.type !== "open-envelope") return;
          const { taskId, carvedFrom: parent } = command;
          reduceLedger(ledger, { ...command, type: "open", taskId, parent, carvedAt: 1 });
        };
        for (const { name, limit } of moves) {
          const parent = name.slice(0, name.lastIndexOf("."));
          const room = book.roomBelow(parent)?.tokens ?? -1;
          if (name === "a" || limit > room || ledger.envelopes.has(name)) continue;
          book.open(child(name, parent, limit));
          carve(name, limit);
        }
        const room = book.roomBelow("a")?.tokens ?? 0;
        carve("a.9", asked);
        expect(selectEnvelope(ledger, asTaskId("a.9"))?.limit.tokens).toBe(Math.min(asked, room));
      }),
    );
  });
});
