import type { ModelCall } from "@bridle/ports";
import { bridleError } from "@bridle/protocol";

import type { PricedTarget } from "./call-cost.ts";
import type { CatalogTarget, ModelCatalog } from "./model-catalog.ts";

function isPriced(target: CatalogTarget): target is PricedTarget {
  return target.price !== undefined;
}

/**
 * The targets a call may be sent to, in order: only the first where fallback is forbidden; those without a price are left out.
 * Throws `model_unknown`, or `price_unknown` when the model that was asked for has no price (BU-2).
 */
export function targetsOf(
  models: ModelCatalog,
  { request, allowModelFallback }: Pick<ModelCall, "request" | "allowModelFallback">,
): readonly PricedTarget[] {
  const first = models.find(request.model)?.chain[0];
  if (first === undefined) {
    throw bridleError("model_unknown", {
      message: `No model named "${request.model}" is configured.`,
      details: { model: request.model },
    });
  }
  if (!isPriced(first)) {
    throw bridleError("price_unknown", {
      message: `Model ${first.target.key} has no price, so its cost cannot be bounded and nothing was sent. Give it one in the configuration.`,
      details: { model: request.model, target: first.target.key },
    });
  }
  if (!allowModelFallback) return [first];
  return models.find(request.model)?.chain.filter(isPriced) ?? [first];
}
