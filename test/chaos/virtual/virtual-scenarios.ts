import { allScenarios } from "@bridle/fake-agents/chaos";
import type { Scenario } from "@bridle/fake-agents/chaos";

import { needsAProcess } from "./needs-a-process.ts";

/** What is played in virtual time: all that needs no process of its own. */
export const virtualScenarios: readonly Scenario[] = allScenarios.filter(
  ({ name }) => !Object.hasOwn(needsAProcess, name),
);
