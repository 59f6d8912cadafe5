/** The parts of one raw chunk that the AI SDK loses, merges or rewrites. */
export interface WireChunk {
  readonly usage: unknown;
  readonly finishReason: string | undefined;
  readonly error: unknown;
}

/** Reads a chunk as it came. Never throws, whatever came. */
export function readWireChunk(raw: unknown): WireChunk {
  if (typeof raw !== "object" || raw === null) {
    return { usage: undefined, finishReason: undefined, error: undefined };
  }
  const { usage, choices, error } = raw as { usage?: unknown; choices?: unknown; error?: unknown };
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const reason = (choice as { finish_reason?: unknown } | undefined | null)?.finish_reason;
  return {
    usage,
    finishReason: typeof reason === "string" && reason !== "" ? reason : undefined,
    error: error ?? undefined,
  };
}
