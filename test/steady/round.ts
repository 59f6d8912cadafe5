/** In which order a round runs its files, and the tests within each. */
export type Round = "reversed" | { readonly seed: number };

/** How a round reaches the configuration of the vitest that plays it. */
export const roundVariable = "BRIDLE_STEADY_ROUND";

export function nameOf(round: Round): string {
  return round === "reversed" ? round : `seed ${round.seed}`;
}

export function toText(round: Round): string {
  return round === "reversed" ? round : String(round.seed);
}

/** @throws RangeError for what names no round. */
export function parseRound(text: string | undefined): Round {
  if (text === "reversed") return text;
  const seed = Number(text);
  if (text === undefined || !Number.isSafeInteger(seed)) {
    throw new RangeError(`${roundVariable} is ${String(text)}: it names the round to play.`);
  }
  return { seed };
}
