export const loopPatterns = ["repeat", "failing", "ping_pong", "no_news", "text"] as const;

/**
 * `repeat`: the same call with the same result. `failing`: the same call with errors. `ping_pong`: two calls in turn, each with its
 * result. `no_news`: calls of one tool that bring nothing new, whatever their arguments. `text`: the same text of a model.
 */
export type LoopPattern = (typeof loopPatterns)[number];

/** At which count of a row each reaction comes. */
export interface Rungs {
  readonly nudge: number;
  readonly block: number;
  readonly stop: number;
}

export type LoopThresholds = Readonly<Record<LoopPattern, Rungs>>;

/** WD-18 names where each pattern begins, and all rungs of `no_news`; the others leave two repetitions between rungs. */
export const defaultLoopThresholds: LoopThresholds = {
  repeat: { nudge: 4, block: 6, stop: 8 },
  failing: { nudge: 3, block: 5, stop: 7 },
  ping_pong: { nudge: 3, block: 4, stop: 5 },
  no_news: { nudge: 6, block: 9, stop: 12 },
  text: { nudge: 3, block: 5, stop: 7 },
};

/** Fills in the defaults. Throws RangeError naming what cannot work and its value. */
export function resolveLoopThresholds(given: Partial<LoopThresholds>): LoopThresholds {
  const resolved = { ...defaultLoopThresholds, ...given };
  for (const [pattern, { nudge, block, stop }] of Object.entries(resolved)) {
    if (!(loopPatterns as readonly string[]).includes(pattern)) {
      throw new RangeError(`There is no loop pattern "${pattern}".`);
    }
    const isRising = 2 <= nudge && nudge < block && block < stop && stop <= 1000;
    if (isRising && [nudge, block, stop].every(Number.isInteger)) continue;
    throw new RangeError(
      `The rungs of "${pattern}" must be rising whole numbers from 2 to 1000, not ${nudge}, ${block}, ${stop}.`,
    );
  }
  return resolved;
}
