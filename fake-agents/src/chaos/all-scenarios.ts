import type { Scenario } from "./scenario.ts";
import { answers } from "./scenarios/answers.ts";
import { calls } from "./scenarios/calls.ts";
import { families } from "./scenarios/families.ts";
import { goodWork } from "./scenarios/good-work.ts";
import { isolates } from "./scenarios/isolates.ts";
import { loops } from "./scenarios/loops.ts";
import { money } from "./scenarios/money.ts";
import { replays } from "./scenarios/replays.ts";
import { stalls } from "./scenarios/stalls.ts";

/** What there is to play, in the order in which it is shown. */
export const allScenarios: readonly Scenario[] = [
  ...replays,
  ...stalls,
  ...loops,
  ...calls,
  ...money,
  ...isolates,
  ...families,
  ...answers,
  ...goodWork,
];
