import { assertNever } from "@bridle/kernel";

import { AnswerStream } from "./answer-stream.ts";
import type { Exchange } from "./exchange.ts";
import { http2Refusal } from "./http2-refusal.ts";
import { planAnswer } from "./plan-answer.ts";
import type { PlannedAnswer } from "./plan-answer.ts";
import type { FakeReply } from "./reply.ts";
import { sendAnswer, wholeBody } from "./send-answer.ts";

type ReplyOf<Type extends FakeReply["type"]> = Extract<FakeReply, { readonly type: Type }>;

/** Time for the other side to read what came before a cut: a reset would otherwise overtake it. */
const beforeCutMs = 20;

/** Answers one request as its reply says. Settles when nothing more will be sent. */
export function playReply(exchange: Exchange, reply: FakeReply): Promise<void> {
  switch (reply.type) {
    case "answer":
      return sendAnswer(exchange, reply);
    case "status":
      return playStatus(exchange, reply);
    case "error_in_200":
      return playErrorIn200(exchange, reply);
    case "hang":
      return playHang(exchange, reply);
    case "cut":
      return playCut(exchange, reply);
    case "ping_flood":
      return playPingFlood(exchange, reply);
    case "malformed_chunk":
      return playMalformedChunk(exchange, reply);
    case "http2_only":
      return exchange.hangUpWith(http2Refusal);
    case "raw":
      return playRaw(exchange, reply);
    default:
      return assertNever(reply);
  }
}

async function playStatus(exchange: Exchange, reply: ReplyOf<"status">): Promise<void> {
  const { request, response, dialect } = exchange;
  const { status } = reply;
  const credential = request.headers["authorization"] ?? request.headers["x-api-key"];
  const echo = reply.echoCredential === true && credential !== undefined;
  const message = `Scripted failure ${status}${echo ? ` for ${credential}.` : "."}`;
  const body = reply.body ?? dialect.errorBody(status, { message, ...reply.error });
  const isText = typeof body === "string";
  exchange.writeHead(status, isText ? "text/plain" : "application/json", reply);
  response.end(isText ? body : JSON.stringify(body));
}

async function playErrorIn200(exchange: Exchange, reply: ReplyOf<"error_in_200">): Promise<void> {
  const { request, dialect } = exchange;
  if (!request.stream) {
    exchange.begin("application/json");
    exchange.response.end(JSON.stringify(dialect.errorIn200(reply.error, request.model)));
    return;
  }
  const stream = new AnswerStream(exchange, planAnswer(request, reply));
  if (reply.afterCharacters === undefined) stream.beginSilently();
  else await stream.begin();
  await stream.sendUntil(reply.afterCharacters ?? 0);
  await stream.sendError(reply.error);
  exchange.response.end();
}

async function playHang(exchange: Exchange, reply: ReplyOf<"hang">): Promise<void> {
  const { text, parts } = reply;
  if (reply.at === "headers") {
    exchange.bill.accept();
    await exchange.hang();
    if (!exchange.isGone) await sendAnswer(exchange, { type: "answer", text, parts });
    return;
  }
  const planned = planAnswer(exchange.request, reply);
  if (!exchange.request.stream) return hangInWhole(exchange, planned);
  const stream = new AnswerStream(exchange, planned);
  await stream.begin();
  await stream.sendUntil(reply.afterCharacters ?? 0);
  await exchange.hang();
  await stream.sendRest();
  await stream.finish(undefined);
  exchange.response.end();
}

async function hangInWhole(exchange: Exchange, planned: PlannedAnswer): Promise<void> {
  exchange.begin("application/json");
  const body = wholeBody(exchange, planned);
  const half = Math.floor(body.length / 2);
  await exchange.write(body.slice(0, half));
  await exchange.hang();
  exchange.response.end(body.slice(half));
}

async function playCut(exchange: Exchange, reply: ReplyOf<"cut">): Promise<void> {
  if (reply.at === "headers") exchange.bill.accept();
  else await sendUntilCut(exchange, reply);
  await exchange.pause(beforeCutMs);
  if (reply.how === "end") exchange.response.end();
  else exchange.hangUp(reply.how);
}

async function sendUntilCut(exchange: Exchange, reply: ReplyOf<"cut">): Promise<void> {
  const planned = planAnswer(exchange.request, reply);
  if (!exchange.request.stream) {
    exchange.begin("application/json");
    return exchange.write(wholeBody(exchange, planned).slice(0, -10));
  }
  const stream = new AnswerStream(exchange, planned);
  await stream.begin();
  if (reply.afterFinish === true) {
    await stream.sendRest();
    // The end marker would make the cut invisible: the finish and the usage go out, it does not.
    await stream.finish(undefined, { end: false });
  } else await stream.sendUntil(reply.afterCharacters ?? 0);
  return exchange.write(reply.tail ?? "");
}

async function playPingFlood(exchange: Exchange, { everyMs }: ReplyOf<"ping_flood">) {
  const { stream } = exchange.request;
  exchange.begin(stream ? "text/event-stream" : "application/json");
  while (!exchange.isGone) {
    // oxlint-disable-next-line no-await-in-loop -- one ping after the other
    await exchange.write(stream ? exchange.dialect.ping : " ");
    // oxlint-disable-next-line no-await-in-loop -- one ping after the other
    await exchange.pause(everyMs);
  }
}

async function playMalformedChunk(exchange: Exchange, reply: ReplyOf<"malformed_chunk">) {
  const planned = planAnswer(exchange.request, reply);
  if (!exchange.request.stream) {
    exchange.begin("application/json");
    exchange.response.end(wholeBody(exchange, planned).slice(0, -10));
    return;
  }
  const stream = new AnswerStream(exchange, planned);
  await stream.begin();
  await stream.sendUntil(reply.afterCharacters ?? 0);
  await stream.sendBroken();
  await stream.sendRest();
  await stream.finish(undefined);
  exchange.response.end();
}

async function playRaw(exchange: Exchange, reply: ReplyOf<"raw">): Promise<void> {
  const status = reply.status ?? 200;
  if (status === 200) exchange.begin(reply.contentType, reply);
  else exchange.writeHead(status, reply.contentType, reply);
  exchange.response.end(reply.body);
}
