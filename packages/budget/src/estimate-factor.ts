/**
 * How much more than its estimate a step of one (agent, model) reserves (BU-14). In thousandths, so that reservations
 * are whole-number arithmetic.
 *
 * 1. 1.2 until 50 settles are known; then P99(actual / estimate) × 1.05 of the last 1,000, between 1.0 and 3.0.
 * 2. An overrun raises it at once, however few settles are known.
 * 3. It falls by at most 5 % per 20 settles.
 * 4. Below 1.0 only when an operator allows it and 1,000 settles show a P99 of at most 0.8; never below 0.5.
 */
export interface FactorState {
  readonly factorMilli: number;
  /** Ratios actual / estimate in thousandths, rounded up; newest last. */
  readonly ratiosMilli: readonly number[];
  readonly settles: number;
  readonly allowBelowOne: boolean;
}

export interface FactorSample {
  readonly estimate: number;
  readonly actual: number;
  readonly reserved: number;
}

const firstMilli = 1200;
const lowestMilli = 1000;
const lowestOnEvidenceMilli = 500;
const highestMilli = 3000;
const headroom = 1.05;
const warmUpSettles = 50;
const windowSettles = 1000;
const settlesPerFall = 20;
const fallTo = 0.95;
const evidenceP99Milli = 800;

export function initialFactor({ allowFactorBelowOne = false } = {}): FactorState {
  return {
    factorMilli: firstMilli,
    ratiosMilli: [],
    settles: 0,
    allowBelowOne: allowFactorBelowOne,
  };
}

/** The state after one more settle. A step that was estimated at nothing says nothing. */
export function reduceFactor(state: FactorState, sample: FactorSample): FactorState {
  if (sample.estimate <= 0) return state;
  const ratioMilli = Math.ceil((sample.actual * 1000) / sample.estimate);
  const ratiosMilli = [...state.ratiosMilli, ratioMilli].slice(-windowSettles);
  const next = { ...state, ratiosMilli, settles: state.settles + 1 };
  const overrun = sample.actual > sample.reserved ? Math.ceil(ratioMilli * headroom) : 0;
  const target = Math.min(highestMilli, Math.max(learned(next), overrun));
  const factorMilli = target >= state.factorMilli ? target : fallen(next, target);
  return { ...next, factorMilli };
}

/** What the settles so far ask for. */
function learned({ ratiosMilli, settles, allowBelowOne, factorMilli }: FactorState): number {
  if (settles < warmUpSettles) return factorMilli;
  const sorted = ratiosMilli.toSorted((left, right) => left - right);
  const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? firstMilli;
  const hasEvidence = ratiosMilli.length >= windowSettles && p99 <= evidenceP99Milli;
  const lowest = allowBelowOne && hasEvidence ? lowestOnEvidenceMilli : lowestMilli;
  return Math.max(lowest, Math.ceil(p99 * headroom));
}

function fallen({ factorMilli, settles }: FactorState, target: number): number {
  if (settles % settlesPerFall !== 0) return factorMilli;
  return Math.max(target, Math.ceil(factorMilli * fallTo));
}

/** `amount × factor`, rounded up, exact up to 2^53-1 and stopping there. */
export function timesFactor(amount: number, factorMilli: number): number {
  const scaled = (BigInt(amount) * BigInt(factorMilli) + 999n) / 1000n;
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return Number(scaled > most ? most : scaled);
}
