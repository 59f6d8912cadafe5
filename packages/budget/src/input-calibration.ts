/**
 * How far the estimates of one model's input are from what it is billed (BU-15). A tokenizer that is not public is assumed at
 * first; what the provider counts tells how well.
 *
 * 1. The estimate stands as it is until 50 settles are known; then it is scaled to the highest of the last 200 ratios, and 2 % more.
 * 2. An estimate that was too low scales at once, however few settles are known.
 * 3. Never below a half nor above twice: beyond that something else is counted than what was sent.
 * 4. Inputs under 200 tokens say nothing: what wraps a message would be taken for the tokenizer.
 *
 * The highest and not a percentile: texts differ by script, and the estimate must hold for the densest of them.
 */
export interface CalibrationState {
  readonly scaleMilli: number;
  /** Ratios actual / estimate in thousandths, rounded up; newest last. */
  readonly ratiosMilli: readonly number[];
  readonly settles: number;
}

export interface CalibrationSample {
  /** As estimated, before it was scaled. */
  readonly estimate: number;
  /** As the provider counted. */
  readonly actual: number;
}

const leastTokens = 200;
const warmUpSettles = 50;
const windowSettles = 200;
const lowestMilli = 500;
const highestMilli = 2000;
const headroom = 1.02;

export const initialCalibration: CalibrationState = {
  scaleMilli: 1000,
  ratiosMilli: [],
  settles: 0,
};

/** The state after one more settle. What is no count of tokens changes nothing. */
export function reduceCalibration(
  state: CalibrationState,
  { estimate, actual }: CalibrationSample,
): CalibrationState {
  if (!(estimate >= leastTokens && actual > 0 && Number.isSafeInteger(actual))) return state;
  const ratioMilli = Math.ceil((actual * 1000) / estimate);
  const ratiosMilli = [...state.ratiosMilli, ratioMilli].slice(-windowSettles);
  const settles = state.settles + 1;
  const isKnown = settles >= warmUpSettles;
  const isTooLow = ratioMilli > state.scaleMilli;
  if (!isKnown && !isTooLow) return { ...state, ratiosMilli, settles };
  const highest = isKnown ? Math.max(...ratiosMilli) : ratioMilli;
  return { scaleMilli: scaleFor(highest), ratiosMilli, settles };
}

function scaleFor(ratioMilli: number): number {
  return Math.min(highestMilli, Math.max(lowestMilli, Math.ceil(ratioMilli * headroom)));
}

/** The scale of each model's estimates. Grows with the models that are configured, not with their calls. */
export class CalibrationBook {
  readonly #states = new Map<string, CalibrationState>();

  /** What to multiply an estimate of this name by. */
  of(name: string): number {
    return (this.#states.get(name) ?? initialCalibration).scaleMilli / 1000;
  }

  /** To be told of each call whose input the provider counted. */
  settled(name: string, sample: CalibrationSample): void {
    this.#states.set(name, reduceCalibration(this.#states.get(name) ?? initialCalibration, sample));
  }
}
