/** Names of envelopes over many runs, and what people are told when one has too little left. No task can have a name with a slash. */
import { nanoUsdPerUsd } from "@bridle/protocol";
import type { Amounts } from "@bridle/protocol";

import type { OuterShortage } from "./outer-envelope.ts";

export const installationScope = "installation/day";

export function keyScope(keyId: string): string {
  return `key:${keyId}/day`;
}

export function isOuterScope(envelope: string): boolean {
  return envelope.includes("/");
}

/** Level, figures, when there is more, and what to do meanwhile. */
export function describeShortage({ scope, dimension, given, limit }: OuterShortage): string {
  return `${levelOf(scope)} has too little left: ${shown(given, dimension)} of ${shown(limit, dimension)} are spent or lie with runs. ${outerHint(scope)}`;
}

/** What to do about a day that is spent. */
export function outerHint(scope: string): string {
  const setting =
    scope === installationScope ? "`budget.perDay` of the configuration" : "the key's limit";
  return `It starts afresh at 00:00 UTC; until then wait for runs to end, or raise ${setting}.`;
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
