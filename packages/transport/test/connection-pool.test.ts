import { describe, expect, it } from "vitest";

import { ConnectionPool } from "../src/connection-pool.ts";

class FakeConnection {
  isDestroyed = false;
  onIdleEnd: (() => void) | undefined;

  rest(): void {
    // Nothing to forget.
  }

  destroy(): void {
    this.isDestroyed = true;
  }
}

const reason = new Error("stopped");

function setUp(limit: number) {
  const opened: FakeConnection[] = [];
  const pool = new ConnectionPool<FakeConnection>({
    limit,
    open: () => {
      const connection = new FakeConnection();
      opened.push(connection);
      return connection;
    },
  });
  /** Who asks, and what it got so far. */
  const ask = () => {
    const got: { connection?: FakeConnection } = {};
    const leave = pool.acquire((connection) => void (got.connection = connection));
    return { got, leave };
  };
  /** For who gets one at once. */
  const take = (): FakeConnection => {
    const { connection } = ask().got;
    if (connection === undefined) throw new Error("There was no connection to be had.");
    return connection;
  };
  return { pool, opened, ask, take };
}

describe("connections to one origin", () => {
  it("P1: are never more than the limit, and the line is served in order", () => {
    const { pool, opened, ask, take } = setUp(1);
    const first = take();
    const [second, third] = [ask().got, ask().got];
    expect([second.connection, third.connection, opened.length]).toEqual([undefined, undefined, 1]);
    pool.release(first);
    expect([second.connection, third.connection]).toEqual([first, undefined]);
  });

  it("P1: go to nobody who has left the line", () => {
    const { pool, ask, take } = setUp(1);
    const first = take();
    const gone = ask();
    const stays = ask().got;
    gone.leave();
    pool.release(first);
    expect([gone.got.connection, stays.connection]).toEqual([undefined, first]);
  });

  it("P2: the one that was used last is used next", () => {
    const { pool, take } = setUp(2);
    const [one, other] = [take(), take()];
    pool.release(other);
    pool.release(one);
    expect(take()).toBe(one);
  });

  it("P2: one that ended while nobody used it is not used again", () => {
    const { pool, take } = setUp(1);
    const first = take();
    pool.release(first);
    first.onIdleEnd?.();
    expect([first.isDestroyed, take() === first]).toEqual([true, false]);
  });

  it("P3: after a renewal none from before is used, neither idle nor busy at the time", () => {
    const { pool, take } = setUp(2);
    const [idle, busy] = [take(), take()];
    pool.release(idle);
    pool.renew();
    expect([idle.isDestroyed, busy.isDestroyed]).toEqual([true, false]);
    pool.release(busy);
    expect(busy.isDestroyed).toBe(true);
    const next = take();
    expect([idle, busy]).not.toContain(next);
    // Control: one from after it is used again.
    pool.release(next);
    expect(take()).toBe(next);
  });

  it("P4: one that is destroyed frees its place for who waits, once", () => {
    const { pool, opened, ask, take } = setUp(1);
    const first = take();
    const [second, third] = [ask().got, ask().got];
    pool.discard(first, reason);
    pool.discard(first, reason);
    pool.release(first);
    expect(first.isDestroyed).toBe(true);
    expect([second.connection, third.connection]).toEqual([opened[1], undefined]);
  });
});
