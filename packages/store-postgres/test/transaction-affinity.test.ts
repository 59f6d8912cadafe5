import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { TransactionAffinity } from "../src/pglite/transaction-affinity.ts";

interface Unit {
  readonly connection: number;
  readonly order: number;
  /** What the session says after it. */
  readonly opens: boolean;
}

const connections = [0, 1, 2, 3];

/** Units of four connections; a connection's last unit closes whatever it opened. */
const histories = fc
  .array(fc.record({ connection: fc.nat(3), opens: fc.boolean() }), { maxLength: 40 })
  .map((drawn) =>
    drawn
      .concat(connections.map((connection) => ({ connection, opens: false })))
      .map(({ connection, opens }, order): Unit => ({ connection, opens, order })),
  );

function play(units: readonly Unit[], addAtOnce: number): Unit[] {
  const affinity = new TransactionAffinity<Unit>();
  const ran: Unit[] = [];
  const waiting = [...units];
  while (ran.length < units.length) {
    for (const unit of waiting.splice(0, addAtOnce)) affinity.add(unit);
    const next = affinity.next();
    if (next === undefined) continue;
    ran.push(next);
    affinity.ran(next.connection, next.opens);
  }
  expect(affinity.isIdle).toBe(true);
  return ran;
}

describe("transaction affinity", () => {
  it("runs only the owner's units while its transaction is open, and every unit in the end", () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 10 }), (units, addAtOnce) => {
        const ran = play(units, addAtOnce);
        const intruders = ran.filter((unit, index) => {
          const before = ran[index - 1];
          return before?.opens === true && before.connection !== unit.connection;
        });
        expect(intruders).toEqual([]);
        expect(ran).toHaveLength(units.length);
      }),
    );
  });

  it("keeps the order of each connection", () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 10 }), (units, addAtOnce) => {
        const ran = play(units, addAtOnce);
        for (const connection of connections) {
          const orders = ran
            .filter((unit) => unit.connection === connection)
            .map(({ order }) => order);
          expect(orders).toEqual(orders.toSorted((left, right) => left - right));
        }
      }),
    );
  });

  it("serves connections first come, first served when nobody's transaction is open", () => {
    const units = [2, 0, 1, 0].map((connection, order) => ({ connection, order, opens: false }));
    expect(play(units, 4)).toEqual(units);
  });

  it("is blocked, not idle, when the owner has nothing to say", () => {
    const affinity = new TransactionAffinity<Unit>();
    affinity.add({ connection: 1, order: 0, opens: true });
    affinity.add({ connection: 2, order: 1, opens: false });
    affinity.next();
    affinity.ran(1, true);
    expect(affinity.isBlocked).toBe(true);
    expect(affinity.isIdle).toBe(false);
    expect(affinity.next()).toBeUndefined();
    affinity.ran(1, false);
    expect(affinity.next()?.connection).toBe(2);
  });
});
