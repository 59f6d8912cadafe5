import type { Stop } from "@bridle/protocol";

import type { ResourceCounts } from "./count-resources.ts";
import { stopTimes } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import { villain } from "./scenario.ts";
import type { Scenario } from "./scenario.ts";

/** What became of one scenario in one round. Plain JSON. */
export interface ScenarioResult {
  readonly name: string;
  readonly round: number;
  readonly guard: Stop["guard"];
  /** Bounds that were missed, each by its name and with what was found. Empty: it holds. */
  readonly missed: readonly string[];
  readonly endedAs: string;
  readonly reason: string | undefined;
  /** Nobody stopped it: the plug was pulled. */
  readonly wasUnplugged: boolean;
  /** As the provider counted them. */
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
  /** From the villain's first start to its end. */
  readonly livedMs: number | undefined;
  /** From the watchdog's verdict to the end. */
  readonly reclaimMs: number | undefined;
  readonly orphans: number;
}

export interface ChaosReport {
  readonly version: string;
  readonly at: string;
  readonly guards: "on" | "off";
  readonly seed: number;
  readonly rounds: number;
  /** Where the limits came from. */
  readonly config: string;
  readonly results: readonly ScenarioResult[];
  /** After each round, with everything stopped. */
  readonly left: readonly ResourceCounts[];
  /** What grew over the rounds. */
  readonly grown: readonly string[];
  readonly ok: boolean;
}

const defaultPrice = { inputUsdPerMillion: 2.5, outputUsdPerMillion: 10 };

export function scenarioResult(
  { name, guard, price = defaultPrice }: Pick<Scenario, "name" | "guard" | "price">,
  evidence: Evidence,
  { round, missed }: Pick<ScenarioResult, "round" | "missed">,
): ScenarioResult {
  const { view, countedLater, aliveAtEnd, aliveLater, wasUnplugged } = evidence;
  const { requests, promptTokens, completionTokens } = countedLater;
  const task = view.tasks.find(({ id }) => id === villain);
  const micros =
    promptTokens * price.inputUsdPerMillion + completionTokens * price.outputUsdPerMillion;
  return {
    name,
    round,
    guard,
    missed,
    endedAs: task?.status ?? "nowhere",
    reason: task?.stop?.reason,
    wasUnplugged,
    calls: requests,
    tokens: promptTokens + completionTokens,
    usd: micros / 1_000_000,
    ...stopTimes(evidence, villain),
    orphans: aliveAtEnd.length + aliveLater.length,
  };
}
