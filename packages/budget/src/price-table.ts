import { bridleError } from "@bridle/protocol";

import type { Price } from "./price.ts";

export interface PriceTableOptions {
  /** By `provider/model`. A price of zero must be written out, as for a model of one's own. */
  readonly prices: Readonly<Record<string, Price>>;
  /** What an operator states for every model that is not listed (BU-2). Without it such a model is refused. */
  readonly defaultPrice?: Price | undefined;
  /** Told once per model that the default is used for it. Contract: never throws. */
  readonly onDefault?: ((model: string) => void) | undefined;
}

/** The price of each model, or a refusal: an unknown price is never zero. */
export class PriceTable {
  readonly #options: PriceTableOptions;
  readonly #defaulted = new Set<string>();

  constructor(options: PriceTableOptions) {
    this.#options = options;
  }

  /** Throws `price_unknown` when the model is not listed and no default was stated. */
  of(model: string): Price {
    const { prices, defaultPrice, onDefault } = this.#options;
    const listed = Object.hasOwn(prices, model) ? prices[model] : undefined;
    if (listed) return listed;
    if (defaultPrice === undefined) {
      throw bridleError("price_unknown", {
        message: `${model} has no price. Add one, or state a default price for unlisted models.`,
        details: { model },
      });
    }
    if (!this.#defaulted.has(model)) {
      this.#defaulted.add(model);
      onDefault?.(model);
    }
    return defaultPrice;
  }
}
