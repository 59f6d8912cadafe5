import { afterAll, beforeAll, expect } from "vitest";

import type { Store } from "../store.ts";

export interface StoreUnderTest {
  /** Fresh and empty. */
  readonly store: Store;
  cleanup(): Promise<void>;
  /** Moves the store's own clock. Without it a contract that needs time to pass waits for it. */
  advance?(ms: number): void;
}

export type CreateStore = () => Promise<StoreUnderTest>;

/** Opens one store for the tests of the `describe` that calls this; they keep apart by their run ids. */
export function useStore(createStore: CreateStore): {
  readonly store: Store;
  /** Lets `ms` of the store's clock pass, then resolves once `isDone` does. */
  readonly until: (ms: number, isDone: () => Promise<boolean>) => Promise<void>;
} {
  let subject: StoreUnderTest | undefined;
  beforeAll(async () => {
    subject = await createStore();
  });
  afterAll(async () => {
    await subject?.cleanup();
  });
  return {
    get store(): Store {
      if (subject === undefined) throw new Error("The store is there only while a test runs.");
      return subject.store;
    },
    until: async (ms, isDone) => {
      subject?.advance?.(ms);
      await expect.poll(isDone, { timeout: ms + 10_000, interval: 20 }).toBe(true);
    },
  };
}
