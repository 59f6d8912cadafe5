import { installationScope, nanoUsdPerUsd, outerHint } from "@bridle/protocol";
import type { Amounts } from "@bridle/protocol";

import type { OuterShortage } from "./outer-envelope.ts";

/** Level, figures, when there is more, and what to do meanwhile. */
export function describeShortage({ scope, dimension, given, limit }: OuterShortage): string {
  return `${levelOf(scope)} has too little left: ${shown(given, dimension)} of ${shown(limit, dimension)} are spent or lie with runs. ${outerHint(scope)}`;
}

function levelOf(scope: string): string {
  if (scope === installationScope) return "The installation's day";
  return `The day of the API key "${scope.slice("key:".length, -"/day".length)}"`;
}

const units = { tokens: "tokens", nanoUsd: "USD", calls: "calls" } as const;

function shown(amounts: Amounts, dimension: keyof Amounts): string {
  const amount = amounts[dimension];
  return `${dimension === "nanoUsd" ? amount / nanoUsdPerUsd : amount} ${units[dimension]}`;
}
