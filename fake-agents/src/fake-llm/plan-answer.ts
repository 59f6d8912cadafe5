import { planPart } from "./answer-part.ts";
import type { AnswerPart, PlannedPart } from "./answer-part.ts";
import { truncateToBytes } from "./count-tokens.ts";
import { defaultAnswer } from "./default-answer.ts";
import type { FakeRequest } from "./fake-request.ts";
import type { AnswerReply } from "./reply.ts";

export interface PlannedAnswer {
  readonly parts: readonly PlannedPart[];
  readonly finishReason: string;
}

/** What will be said: the scripted or the default parts, cut at the limit of output tokens unless told to ignore it. */
export function planAnswer(
  request: FakeRequest,
  reply: Pick<AnswerReply, "text" | "parts" | "finishReason" | "ignoreMaxTokens">,
): PlannedAnswer {
  const planned = partsOf(request, reply).map(planPart);
  const limit = reply.ignoreMaxTokens === true ? undefined : request.maxTokens;
  const { parts, isCut } = cutAt(planned, limit);
  return {
    parts,
    finishReason: reply.finishReason ?? (isCut ? "length" : reasonFor(parts)),
  };
}

function partsOf(
  request: FakeRequest,
  { text, parts }: Pick<AnswerReply, "text" | "parts">,
): readonly AnswerPart[] {
  if (parts !== undefined) return parts;
  const said = text ?? defaultAnswer(request);
  return said === "" ? [] : [{ type: "text", text: said }];
}

function reasonFor(parts: readonly PlannedPart[]): string {
  if (parts.some(({ type }) => type === "refusal")) return "refusal";
  return parts.some(({ type }) => type === "tool_call") ? "tool_calls" : "stop";
}

/** The limit holds for everything that is said, thinking included; what begins after it is not said at all. */
function cutAt(parts: readonly PlannedPart[], maxTokens: number | undefined) {
  if (maxTokens === undefined) return { parts, isCut: false };
  const kept: PlannedPart[] = [];
  let room = maxTokens * 4;
  for (const part of parts) {
    const text = truncateToBytes(part.text, room);
    kept.push({ ...part, text });
    if (text !== part.text) return { parts: kept, isCut: true };
    room -= Buffer.byteLength(text);
  }
  return { parts: kept, isCut: false };
}
