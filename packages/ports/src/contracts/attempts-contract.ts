import { describe } from "vitest";

import { claimContract } from "./claim-contract.ts";
import { ContractRun } from "./contract-run.ts";
import { finishContract } from "./finish-contract.ts";
import { oversightContract } from "./oversight-contract.ts";
import { useStore } from "./store-under-test.ts";
import type { CreateStore } from "./store-under-test.ts";

/** What any `Attempts` must do. */
export function attemptsContract(createStore: CreateStore): void {
  describe("attempts", () => {
    const subject = useStore(createStore);
    const scheduled = async () => {
      const run = await ContractRun.submit(subject.store);
      await run.schedule();
      return run;
    };
    claimContract(scheduled);
    finishContract(scheduled);
    oversightContract(subject, scheduled);
  });
}
