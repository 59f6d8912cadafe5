import { estimateTokens } from "@bridle/budget";
import type { ModelResponse } from "@bridle/protocol";

import type { PricedTarget } from "./call-cost.ts";
import type { InputEstimate } from "./input-estimates.ts";
import type { ReplyReading } from "./reply-reading.ts";

/** The answer with the tokens the provider counted, or our own counts where it named none. */
export function toResponse(
  servedBy: string,
  { text, output, usage, finish }: ReplyReading,
  served: PricedTarget,
  input: InputEstimate,
): ModelResponse {
  return {
    text,
    finishReason: finish?.reason ?? "stop",
    servedBy,
    inputTokens: usage.inputTokens ?? input.tokens,
    outputTokens: usage.outputTokens ?? estimateTokens(output, served.family).tokens,
  };
}
