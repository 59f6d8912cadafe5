/** How one part of an answer stands in a message, whole and as the start and the pieces of a block. */
import type { PlannedPart } from "../answer-part.ts";
import { parsedOr } from "./dialect.ts";
import type { JsonObject } from "./dialect.ts";

export function blockOf(part: PlannedPart): JsonObject {
  const { type, text } = part;
  if (type === "tool_call") return { ...emptyBlockOf(part), input: parsedOr(text) };
  if (type === "reasoning") return { type: "thinking", thinking: text, signature: part.signature };
  return { type: "text", text };
}

export function emptyBlockOf(part: PlannedPart): JsonObject {
  if (part.type === "reasoning") return { type: "thinking", thinking: "", signature: "" };
  if (part.type !== "tool_call") return { type: "text", text: "" };
  return {
    type: "tool_use",
    id: part.id ?? `toolu_fake_${part.index}`,
    name: part.name,
    input: {},
  };
}

export function deltaOf(part: PlannedPart, piece: string): JsonObject {
  if (part.type === "reasoning") return { type: "thinking_delta", thinking: piece };
  if (part.type === "tool_call") return { type: "input_json_delta", partial_json: piece };
  return { type: "text_delta", text: piece };
}
