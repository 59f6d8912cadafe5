import type { WirePart } from "@bridle/ports";

type FinishReason = Extract<WirePart, { readonly type: "finish" }>["reason"];

/** What OpenAI-compatible servers call the same ends (L15). Anything else is `other`: not known to be complete. */
const reasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  end_turn: "stop",
  eos: "stop",
  eos_token: "stop",
  stop_sequence: "stop",
  complete: "stop",
  completed: "stop",
  length: "length",
  max_tokens: "length",
  max_output_tokens: "length",
  model_length: "length",
  content_filter: "content_filter",
  refusal: "content_filter",
  safety: "content_filter",
};

export function finishReasonOf(raw: string): FinishReason {
  const key = raw.toLowerCase();
  return Object.hasOwn(reasons, key) ? (reasons[key] ?? "other") : "other";
}
