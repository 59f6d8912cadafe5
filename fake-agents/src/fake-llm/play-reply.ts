import { assertNever } from "@bridle/kernel";

import { event } from "./chat-format.ts";
import type { Exchange } from "./exchange.ts";
import type { FakeReply } from "./reply.ts";
import {
  beginStream,
  planAnswer,
  sendAnswer,
  sendFinish,
  sendText,
  wholeBody,
} from "./send-answer.ts";

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
    case "raw":
      return playRaw(exchange, reply);
    default:
      return assertNever(reply);
  }
}

async function playStatus({ request, response }: Exchange, reply: ReplyOf<"status">) {
  const credential = reply.echoCredential === true ? request.headers["authorization"] : undefined;
  const message = `Scripted failure ${reply.status}${credential === undefined ? "." : ` for ${credential}.`}`;
  const body = reply.body ?? { error: { message, type: "scripted_error", code: null } };
  const isText = typeof body === "string";
  response.writeHead(reply.status, {
    "content-type": isText ? "text/plain" : "application/json",
    ...reply.headers,
  });
  response.end(isText ? body : JSON.stringify(body));
}

async function playErrorIn200(exchange: Exchange, reply: ReplyOf<"error_in_200">) {
  const body = { error: reply.error };
  if (!exchange.request.stream) {
    exchange.begin("application/json");
    exchange.response.end(JSON.stringify(body));
    return;
  }
  exchange.begin("text/event-stream");
  const { text } = planAnswer(exchange.request, {});
  await sendText(exchange, text.slice(0, reply.afterCharacters ?? 0));
  await exchange.write(event(body));
  exchange.response.end();
}

async function playHang(exchange: Exchange, reply: ReplyOf<"hang">) {
  const planned = planAnswer(exchange.request, { text: reply.text });
  if (reply.at === "headers") {
    exchange.accept();
    await exchange.hang();
    if (!exchange.isGone) await sendAnswer(exchange, { type: "answer", text: reply.text });
    return;
  }
  const cut = reply.afterCharacters ?? 0;
  if (!exchange.request.stream) return hangInWhole(exchange, planned);
  await beginStream(exchange);
  await sendText(exchange, planned.text.slice(0, cut));
  await exchange.hang();
  await sendText(exchange, planned.text.slice(cut));
  await sendFinish(exchange, planned.finishReason, undefined);
  exchange.response.end();
}

async function hangInWhole(
  exchange: Exchange,
  planned: { readonly text: string; readonly finishReason: string },
) {
  exchange.begin("application/json");
  const body = wholeBody(exchange, planned, undefined);
  const half = Math.floor(body.length / 2);
  await exchange.write(body.slice(0, half));
  await exchange.hang();
  exchange.response.end(body.slice(half));
}

async function playCut(exchange: Exchange, reply: ReplyOf<"cut">) {
  if (reply.at === "body") {
    const planned = planAnswer(exchange.request, {});
    if (exchange.request.stream) await sendUntilCut(exchange, reply, planned);
    else {
      exchange.begin("application/json");
      await exchange.write(wholeBody(exchange, planned, undefined).slice(0, -10));
    }
  } else exchange.accept();
  await exchange.pause(beforeCutMs);
  if (reply.how === "end") exchange.response.end();
  else exchange.hangUp(reply.how);
}

async function sendUntilCut(
  exchange: Exchange,
  reply: ReplyOf<"cut">,
  planned: { readonly text: string; readonly finishReason: string },
) {
  const isFinished = reply.afterFinish === true;
  await beginStream(exchange);
  await sendText(
    exchange,
    isFinished ? planned.text : planned.text.slice(0, reply.afterCharacters ?? 0),
  );
  // `[DONE]` would make the cut invisible: the finish and the usage go out, the end marker does not.
  if (isFinished) await sendFinish(exchange, planned.finishReason, undefined, { done: false });
  await exchange.write(reply.tail ?? "");
}

async function playPingFlood(exchange: Exchange, { everyMs }: ReplyOf<"ping_flood">) {
  const { stream } = exchange.request;
  exchange.begin(stream ? "text/event-stream" : "application/json");
  while (!exchange.isGone) {
    // oxlint-disable-next-line no-await-in-loop -- one ping after the other
    await exchange.write(stream ? ": ping\n\n" : " ");
    // oxlint-disable-next-line no-await-in-loop -- one ping after the other
    await exchange.pause(everyMs);
  }
}

async function playMalformedChunk(exchange: Exchange, reply: ReplyOf<"malformed_chunk">) {
  const planned = planAnswer(exchange.request, {});
  if (!exchange.request.stream) {
    exchange.begin("application/json");
    exchange.response.end(wholeBody(exchange, planned, undefined).slice(0, -10));
    return;
  }
  const cut = reply.afterCharacters ?? 0;
  await beginStream(exchange);
  await sendText(exchange, planned.text.slice(0, cut));
  await exchange.write('data: {"choices":[{"delta":{"content":"half\n\n');
  await sendText(exchange, planned.text.slice(cut));
  await sendFinish(exchange, planned.finishReason, undefined);
  exchange.response.end();
}

async function playRaw(exchange: Exchange, reply: ReplyOf<"raw">) {
  const status = reply.status ?? 200;
  if (status === 200) exchange.begin(reply.contentType, reply.headers);
  else exchange.response.writeHead(status, { "content-type": reply.contentType, ...reply.headers });
  exchange.response.end(reply.body);
}
