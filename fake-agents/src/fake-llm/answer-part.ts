import { assertNever } from "@bridle/kernel";

/**
 * What an answer is made of, the same words for every API. Plain JSON. Where an API has no such part, its dialect says what stands
 * in for it.
 */
export type AnswerPart =
  | { readonly type: "text"; readonly text: string }
  /** Thinking. OpenAI's own chat completions hide it; there it goes out as `reasoning_content`, as compatible servers send it. */
  | {
      readonly type: "reasoning";
      readonly text: string;
      /** Anthropic's `signature`, or `encrypted_content` of Responses. `none` leaves it out. Default: a fixed one. */
      readonly signature?: string | undefined;
    }
  /** Declines: `refusal` at OpenAI, a text with its own stop reason at Anthropic. */
  | { readonly type: "refusal"; readonly text: string }
  | {
      readonly type: "tool_call";
      readonly name: string;
      /** Default: the API's own kind of id with a running number. */
      readonly id?: string | undefined;
      /** A string goes out as it stands, well-formed or not; anything else as its JSON. */
      readonly arguments: unknown;
      /** Where a stream cuts the arguments, in characters; `whole`: in one piece. Default: an empty piece, then one every 12 characters. */
      readonly cutAt?: "whole" | readonly number[] | undefined;
    };

/** A part that is ready to be sent; `text` is what it says, of a tool call the arguments. */
export type PlannedPart = {
  /** Its place in the answer, from 0. */
  readonly index: number;
  readonly text: string;
} & (
  | { readonly type: "text" | "refusal" }
  | { readonly type: "reasoning"; readonly signature: string | undefined }
  | {
      readonly type: "tool_call";
      readonly name: string;
      readonly id: string | undefined;
      readonly cutAt: "whole" | readonly number[] | undefined;
    }
);

export type PlannedToolCall = Extract<PlannedPart, { readonly type: "tool_call" }>;

const defaultSignature = "ZmFrZS1zaWduYXR1cmU=";

export function planPart(part: AnswerPart, index: number): PlannedPart {
  switch (part.type) {
    case "tool_call": {
      const { arguments: given, ...rest } = part;
      const text = typeof given === "string" ? given : JSON.stringify(given);
      return { ...rest, index, text, id: part.id, cutAt: part.cutAt };
    }
    case "reasoning": {
      const signature = part.signature ?? defaultSignature;
      return { ...part, index, signature: signature === "none" ? undefined : signature };
    }
    case "text":
    case "refusal":
      return { ...part, index };
    default:
      return assertNever(part);
  }
}

const charactersPerPiece = 12;

/** The pieces in which a stream sends `text`, never half a character. */
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

export function piecesOfPart(part: PlannedPart): readonly string[] {
  if (part.type !== "tool_call") return piecesOf(part.text);
  if (part.cutAt === undefined) return ["", ...piecesOf(part.text)];
  const cuts = part.cutAt === "whole" ? [] : part.cutAt.toSorted((left, right) => left - right);
  const ends = [...cuts, part.text.length];
  return ends.map((end, at) => part.text.slice(ends[at - 1] ?? 0, end));
}
