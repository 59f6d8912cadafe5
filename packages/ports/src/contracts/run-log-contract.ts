import { describe } from "vitest";

import { commitContract } from "./commit-contract.ts";
import { logContentContract } from "./log-content-contract.ts";
import { openingContract } from "./opening-contract.ts";
import { useStore } from "./store-under-test.ts";
import type { CreateStore } from "./store-under-test.ts";
import { submitContract } from "./submit-contract.ts";

/** What any `RunLog` must do. */
export function runLogContract(createStore: CreateStore): void {
  describe("run log", () => {
    const subject = useStore(createStore);
    submitContract(subject);
    commitContract(subject);
    openingContract(subject);
    logContentContract(subject);
  });
}
