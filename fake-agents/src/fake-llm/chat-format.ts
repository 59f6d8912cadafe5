import type { FakeUsage } from "./reply.ts";

/** Every id and time is fixed: the same script gives the same bytes. */
const envelope = { id: "chatcmpl-fake", created: 1_700_000_000 };

const charactersPerPiece = 12;

export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const character of text) {
    piece += character;
    if (piece.length >= charactersPerPiece) {
      pieces.push(piece);
      piece = "";
    }
  }
  return piece === "" ? pieces : [...pieces, piece];
}

export function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function chunk(model: string, choice: Readonly<Record<string, unknown>>): string {
  return event({
    ...envelope,
    object: "chat.completion.chunk",
    model,
    choices: [{ index: 0, finish_reason: null, ...choice }],
  });
}

export function roleEvent(model: string): string {
  return chunk(model, { delta: { role: "assistant", content: "" } });
}

export function textEvent(model: string, text: string): string {
  return chunk(model, { delta: { content: text } });
}

export function finishEvent(model: string, finishReason: string): string {
  return chunk(model, { delta: {}, finish_reason: finishReason });
}

/** OpenAI sends usage in a last chunk without choices. */
export function usageEvent(model: string, usage: FakeUsage): string {
  return event({ ...envelope, object: "chat.completion.chunk", model, choices: [], usage });
}

export const doneEvent = "data: [DONE]\n\n";

export interface Completion {
  readonly model: string;
  readonly text: string;
  readonly finishReason: string | undefined;
  readonly usage: FakeUsage | undefined;
}

/** The body of an answer that is not streamed. */
export function completionBody({ model, text, finishReason, usage }: Completion): string {
  const message = { role: "assistant", content: text };
  return JSON.stringify({
    ...envelope,
    object: "chat.completion",
    model,
    choices: [{ index: 0, message, finish_reason: finishReason ?? null }],
    usage,
  });
}
