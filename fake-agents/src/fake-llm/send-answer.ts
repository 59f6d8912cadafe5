import { piecesOf } from "./answer-part.ts";
import { AnswerStream } from "./answer-stream.ts";
import type { Exchange } from "./exchange.ts";
import { planAnswer } from "./plan-answer.ts";
import type { PlannedAnswer } from "./plan-answer.ts";
import type { AnswerReply } from "./reply.ts";
import { reportedUsage } from "./reported-usage.ts";

export async function sendAnswer(exchange: Exchange, reply: AnswerReply): Promise<void> {
  const planned = planAnswer(exchange.request, reply);
  if (!exchange.request.stream) return sendWhole(exchange, reply, planned);
  const stream = new AnswerStream(exchange, planned);
  await stream.begin(reply);
  await stream.sendRest(reply.delayMs);
  await stream.finish(reply.usage);
  if (reply.holdOpen === true) await exchange.hang();
  exchange.response.end();
}

async function sendWhole(
  exchange: Exchange,
  reply: AnswerReply,
  planned: PlannedAnswer,
): Promise<void> {
  const pieces = planned.parts.flatMap(({ text }) => piecesOf(text));
  exchange.bill.accept();
  await exchange.pause((reply.delayMs ?? 0) * pieces.length);
  if (exchange.isGone) return;
  exchange.begin(reply.contentType ?? "application/json", reply);
  exchange.response.end(wholeBody(exchange, planned, reply.usage));
}

/** The JSON body of an answer that is not streamed; its text is owed from here on. */
export function wholeBody(
  exchange: Exchange,
  planned: PlannedAnswer,
  usage?: AnswerReply["usage"],
): string {
  for (const { text, type } of planned.parts) {
    exchange.sent(text, { isReasoning: type === "reasoning" });
  }
  const { model } = exchange.request;
  const reported = reportedUsage(exchange, usage);
  return JSON.stringify(exchange.dialect.whole({ ...planned, model, usage: reported }));
}
