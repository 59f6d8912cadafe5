import { describe, expect, it } from "vitest";

import { attemptsContract } from "./attempts-contract.ts";
import { feedContract } from "./feed-contract.ts";
import { fleetLogContract } from "./fleet-log-contract.ts";
import { inboxContract } from "./inbox-contract.ts";
import { leasesContract } from "./leases-contract.ts";
import { ledgerContract } from "./ledger-contract.ts";
import { outboxContract } from "./outbox-contract.ts";
import { resultCacheContract } from "./result-cache-contract.ts";
import { runIndexContract } from "./run-index-contract.ts";
import { runLogContract } from "./run-log-contract.ts";
import { signalsContract } from "./signals-contract.ts";
import { stepJournalContract } from "./step-journal-contract.ts";
import type { CreateStore } from "./store-under-test.ts";
import { timersContract } from "./timers-contract.ts";

/** Registers what every store must pass. Each port gets a store of its own from `createStore`. */
export function storeContract(name: string, createStore: CreateStore): void {
  describe(`store: ${name}`, () => {
    runLogContract(createStore);
    attemptsContract(createStore);
    stepJournalContract(createStore);
    ledgerContract(createStore);
    inboxContract(createStore);
    timersContract(createStore);
    leasesContract(createStore);
    feedContract(createStore);
    fleetLogContract(createStore);
    runIndexContract(createStore);
    resultCacheContract(createStore);
    signalsContract(createStore);
    outboxContract(createStore);

    it("answers a ping, and closes twice without harm", async () => {
      const subject = await createStore();
      const { store } = subject;
      await expect(store.ping()).resolves.toBeUndefined();
      await store.close();
      await store.close();
      await subject.cleanup();
    });
  });
}
