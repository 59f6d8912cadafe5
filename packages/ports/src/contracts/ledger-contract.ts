import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { carvedEnvelopeContract } from "./carved-envelope-contract.ts";
import { termsOf } from "./contract-fixtures.ts";
import { ContractRun } from "./contract-run.ts";
import type { ScheduledRun } from "./contract-run.ts";
import { ledgerAdmissionContract } from "./ledger-admission-contract.ts";
import { ledgerConcurrencyContract } from "./ledger-concurrency-contract.ts";
import { ledgerEndingContract } from "./ledger-ending-contract.ts";
import { ledgerEnvelopeContract } from "./ledger-envelope-contract.ts";
import { ledgerEquivalence } from "./ledger-equivalence.ts";
import { ledgerSpendingContract } from "./ledger-spending-contract.ts";
import { outerEnvelopeContract } from "./outer-envelope-contract.ts";
import { useStore } from "./store-under-test.ts";
import type { CreateStore } from "./store-under-test.ts";

/** What any `Ledger` must do. */
export function ledgerContract(createStore: CreateStore): void {
  describe("ledger", () => {
    const subject = useStore(createStore);
    const scheduled: ScheduledRun = async (limit = 1000, task = 1000) => {
      const run = await ContractRun.submit(subject.store, { budget: termsOf(limit) });
      await run.schedule("a", 1, termsOf(task));
      return run;
    };

    ledgerAdmissionContract(scheduled);
    ledgerEndingContract(scheduled);
    ledgerEnvelopeContract(scheduled);
    ledgerConcurrencyContract(scheduled);
    carvedEnvelopeContract(scheduled);
    ledgerSpendingContract(scheduled);
    outerEnvelopeContract(subject);
    it("[BU-22] answers, holds and journals exactly as the pure reducer, whatever comes in which order", async () => {
      const equivalence = ledgerEquivalence(() => subject.store);
      // Fewer runs: each plays a whole history against a store that may be a real one.
      await expect(fc.assert(equivalence, { numRuns: 25 })).resolves.toBeUndefined();
    }, 60_000);
  });
}
