import { WireError } from "@bridle/ports";
import type { GuardedFetch, WirePart } from "@bridle/ports";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createOpenAiCompatibleTarget } from "../src/index.ts";

/** A body in the given pieces; after them it ends, or breaks. */
function bodyOf(pieces: readonly Uint8Array[], isBroken: boolean): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream({
    pull(controller) {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (isBroken)
        controller.error(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
      else controller.close();
    },
  });
}

async function read(pieces: readonly Uint8Array[], { isBroken = false } = {}) {
  const fetch: GuardedFetch = async (_url, { onBytes }) => {
    onBytes?.(0);
    return new Response(bodyOf(pieces, isBroken), {
      headers: { "content-type": "text/event-stream" },
    });
  };
  const target = createOpenAiCompatibleTarget({
    provider: "p",
    model: "m",
    baseUrl: "https://p.example/v1",
    apiKey: () => "some-key",
    fetch,
  });
  const parts: WirePart[] = [];
  let error: unknown;
  try {
    const signal = new AbortController().signal;
    for await (const part of target.stream({ messages: [], maxOutputTokens: 1, signal }))
      if (part.type !== "activity") parts.push(part);
  } catch (thrown) {
    error = thrown;
  }
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { text, error, isComplete: parts.at(-1)?.type === "finish" };
}

const lines = [
  `data: ${JSON.stringify({ choices: [{ delta: { content: "zwölf " } }] })}`,
  "",
  ": a comment",
  "",
  `data: ${JSON.stringify({ choices: [{ delta: { content: "Öfen 🔥" } }] })}`,
  "",
  `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }] })}`,
  "",
  `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } })}`,
  "",
  "data: [DONE]",
  "",
  "",
];
const encoder = new TextEncoder();
const fullText = "zwölf Öfen 🔥";

describe("[B034] [B035] a stream reads the same wherever the network cuts it into pieces", () => {
  it.each(["\n", "\r\n", "\r"])("with line end %j, at every offset, after a BOM", async (end) => {
    const bytes = encoder.encode(`\uFEFF${lines.join(end)}`);
    for (let offset = 0; offset <= bytes.length; offset += 1) {
      // oxlint-disable-next-line no-await-in-loop -- a body per offset
      const answer = await read([bytes.slice(0, offset), bytes.slice(offset)]);
      expect([offset, answer]).toEqual([
        offset,
        { text: fullText, error: undefined, isComplete: true },
      ]);
    }
  });

  it("byte by byte", async () => {
    const bytes = encoder.encode(lines.join("\r\n"));
    const answer = await read(Array.from(bytes, (byte) => Uint8Array.of(byte)));
    expect(answer).toEqual({ text: fullText, error: undefined, isComplete: true });
  });

  it("in any pieces", async () => {
    const bytes = encoder.encode(lines.join("\n"));
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(cuts, async (found) => {
        const edges = [0, ...found.toSorted((left, right) => left - right), bytes.length];
        const pieces = edges.slice(1).map((edge, index) => bytes.slice(edges[index], edge));
        expect((await read(pieces)).text).toBe(fullText);
      }),
    );
  });
});

describe("[B025] [B026] a stream that breaks is an answer only after its finish", () => {
  const bytes = encoder.encode(lines.join("\n"));
  const finishEnds = encoder.encode(lines.slice(0, 8).join("\n")).length;

  it.each([false, true])("at every offset (broken connection: %s)", async (isBroken) => {
    for (let offset = 0; offset < bytes.length; offset += 1) {
      // oxlint-disable-next-line no-await-in-loop -- a body per offset
      const answer = await read([bytes.slice(0, offset)], { isBroken });
      const isFailure = answer.error instanceof WireError;
      const isAnswer = answer.error === undefined && answer.isComplete && answer.text === fullText;
      const isPartial = isFailure && !answer.isComplete && fullText.startsWith(answer.text);
      const isRight = offset > finishEnds ? isAnswer : isAnswer || isPartial;
      expect({ offset, isRight }).toEqual({ offset, isRight: true });
    }
  });

  it("control: cut in half it is no answer, whole it is one", async () => {
    expect((await read([bytes.slice(0, 80)])).isComplete).toBe(false);
    expect((await read([bytes])).isComplete).toBe(true);
  });
});
