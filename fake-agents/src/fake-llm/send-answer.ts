import {
  completionBody,
  doneEvent,
  finishEvent,
  piecesOf,
  roleEvent,
  textEvent,
  usageEvent,
} from "./chat-format.ts";
import { countFakeTokens, truncateToTokens } from "./count-tokens.ts";
import { defaultAnswer } from "./default-answer.ts";
import type { Exchange } from "./exchange.ts";
import type { FakeRequest } from "./fake-request.ts";
import type { AnswerReply, FakeUsage } from "./reply.ts";

export interface PlannedAnswer {
  readonly text: string;
  readonly finishReason: string;
}

/** What will be said: the scripted or the default text, cut at `max_tokens` unless told to ignore it. */
export function planAnswer(
  request: FakeRequest,
  reply: Pick<AnswerReply, "text" | "finishReason" | "ignoreMaxTokens">,
): PlannedAnswer {
  const text = reply.text ?? defaultAnswer(request);
  const limit = reply.ignoreMaxTokens === true ? undefined : request.maxTokens;
  const isCut = limit !== undefined && countFakeTokens(text) > limit;
  return {
    text: isCut ? truncateToTokens(text, limit) : text,
    finishReason: reply.finishReason ?? (isCut ? "length" : "stop"),
  };
}

export async function sendText(exchange: Exchange, text: string, delayMs = 0): Promise<void> {
  for (const piece of piecesOf(text)) {
    // oxlint-disable-next-line no-await-in-loop -- a stream is sent in order
    await exchange.pause(delayMs);
    if (exchange.isGone) return;
    exchange.sent(piece);
    // oxlint-disable-next-line no-await-in-loop -- a stream is sent in order
    await exchange.write(textEvent(exchange.request.model, piece));
  }
}

export function beginStream(exchange: Exchange): Promise<void> {
  exchange.begin("text/event-stream; charset=utf-8");
  return exchange.write(roleEvent(exchange.request.model));
}

export async function sendFinish(
  exchange: Exchange,
  finishReason: string,
  usage: AnswerReply["usage"],
  { done = true } = {},
): Promise<void> {
  const { model } = exchange.request;
  const reported = reportedUsage(exchange, usage);
  if (finishReason !== "none") await exchange.write(finishEvent(model, finishReason));
  if (reported !== undefined) await exchange.write(usageEvent(model, reported));
  if (done) await exchange.write(doneEvent);
}

export async function sendAnswer(exchange: Exchange, reply: AnswerReply): Promise<void> {
  const { text, finishReason } = planAnswer(exchange.request, reply);
  if (!exchange.request.stream) return sendWhole(exchange, reply, { text, finishReason });
  await beginStream(exchange);
  await sendText(exchange, text, reply.delayMs);
  await sendFinish(exchange, finishReason, reply.usage);
  if (reply.holdOpen === true) await exchange.hang();
  exchange.response.end();
}

async function sendWhole(
  exchange: Exchange,
  reply: AnswerReply,
  planned: PlannedAnswer,
): Promise<void> {
  exchange.accept();
  await exchange.pause((reply.delayMs ?? 0) * piecesOf(planned.text).length);
  if (exchange.isGone) return;
  exchange.begin("application/json");
  exchange.response.end(wholeBody(exchange, planned, reply.usage));
}

/** The JSON body of an answer that is not streamed; the text is owed from here on. */
export function wholeBody(
  exchange: Exchange,
  { text, finishReason }: PlannedAnswer,
  usage: AnswerReply["usage"],
): string {
  exchange.sent(text);
  return completionBody({
    model: exchange.request.model,
    text,
    finishReason: finishReason === "none" ? undefined : finishReason,
    usage: reportedUsage(exchange, usage),
  });
}

function reportedUsage(exchange: Exchange, usage: AnswerReply["usage"]): FakeUsage | undefined {
  if (usage === undefined) return exchange.honestUsage();
  if (usage === "missing") return undefined;
  exchange.billAs(usage);
  return usage;
}
