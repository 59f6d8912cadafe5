import { estimateTokens } from "@bridle/budget";
import type { ModelRequest, ModelResponse } from "@bridle/protocol";

import { estimateCall } from "./call-cost.ts";
import type { PricedTarget } from "./call-cost.ts";
import type { ReplyReading } from "./reply-reading.ts";

/** The answer with the tokens the provider counted, or our own counts where it named none. */
export function toResponse(
  servedBy: string,
  { text, output, usage, finish }: ReplyReading,
  served: PricedTarget,
  request: ModelRequest,
): ModelResponse {
  return {
    text,
    finishReason: finish?.reason ?? "stop",
    servedBy,
    inputTokens: usage.inputTokens ?? estimateCall(served, request).inputTokens,
    outputTokens: usage.outputTokens ?? estimateTokens(output, served.family).tokens,
  };
}
