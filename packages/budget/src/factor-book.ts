import { initialFactor, reduceFactor } from "./estimate-factor.ts";
import type { FactorSample, FactorState } from "./estimate-factor.ts";

/** The learnt factor of each (agent, model) (BU-14). Grows with the pairs that are configured, not with their calls. */
export class FactorBook {
  readonly #options: { readonly allowFactorBelowOne: boolean };
  readonly #states = new Map<string, FactorState>();

  /** `allowFactorBelowOne`: an operator's statement that less than the estimate may be reserved, on evidence. */
  constructor({ allowFactorBelowOne = false } = {}) {
    this.#options = { allowFactorBelowOne };
  }

  /** What to multiply the next estimate of this pair by. */
  of(agent: string, model: string): number {
    return this.#state(agent, model).factorMilli / 1000;
  }

  /** To be told of each settle of which the usage is known. */
  settled(agent: string, model: string, sample: FactorSample): void {
    this.#states.set(keyOf(agent, model), reduceFactor(this.#state(agent, model), sample));
  }

  #state(agent: string, model: string): FactorState {
    return this.#states.get(keyOf(agent, model)) ?? initialFactor(this.#options);
  }
}

function keyOf(agent: string, model: string): string {
  return JSON.stringify([agent, model]);
}
