import { seededRandom } from "@bridle/kernel/testing";
import { createModelCaller } from "@bridle/llm";
import { createOpenAiCompatibleTarget } from "@bridle/llm-providers";
import { WireError } from "@bridle/ports";
import type { GuardedFetch, WirePart } from "@bridle/ports";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { impatientClock } from "../support/impatient-clock.ts";
import { bodyOf, cutFault, cutsOf, spellingsOf, splitsOf } from "../support/sse-fuzzer.ts";
import type { Ending, Pieces, Reading } from "../support/sse-fuzzer.ts";

/** Characters of two and four bytes, so that pieces cut through them. */
const fullText = "zwölf Öfen 🔥";
const chunk = (choices: readonly object[], more: object = {}): string =>
  `data: ${JSON.stringify({ choices, ...more })}`;
const said = [
  chunk([{ delta: { content: "zwölf " } }]),
  chunk([{ delta: { content: "Öfen 🔥" } }]),
];
const finish = chunk([{ delta: {}, finish_reason: "stop" }]);
const usage = chunk([], { usage: { prompt_tokens: 7, completion_tokens: 3 } });
/** As providers send it: comments between events, the finish, the usage, the end mark. */
const lines = [
  said[0] ?? "",
  "",
  ": a comment",
  "",
  said[1] ?? "",
  "",
  finish,
  "",
  usage,
  "",
  "data: [DONE]",
  "",
  "",
];
/** Its lines to behind the blank one that ends the finish. */
const untilFinish = [...lines.slice(0, 8), ""];

function targetOver(pieces: Pieces, ending: Ending) {
  const fetch: GuardedFetch = async (_url, { onBytes }) => {
    onBytes?.(0);
    const headers = { "content-type": "text/event-stream" };
    return new Response(bodyOf(pieces, ending), { headers });
  };
  return createOpenAiCompatibleTarget({
    provider: "p",
    model: "m",
    baseUrl: "https://p.example/v1",
    apiKey: () => "some-key",
    fetch,
  });
}

async function read(pieces: Pieces, ending: Ending = "ends"): Promise<Reading> {
  const parts: WirePart[] = [];
  let hasFailed = false;
  try {
    const { signal } = new AbortController();
    const request = { messages: [], maxOutputTokens: 1, signal };
    for await (const part of targetOver(pieces, ending).stream(request)) parts.push(part);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    hasFailed = true;
  }
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { text, isComplete: parts.some(({ type }) => type === "finish"), hasFailed };
}

/** The text of a whole call over a stream that always breaks off there, with how many permits it took and ended. */
async function callOver(pieces: Pieces, ending: Ending) {
  const chain = [
    { target: targetOver(pieces, ending), price: { input: 1, output: 1 }, maxOutputTokens: 50 },
  ];
  const caller = createModelCaller({
    models: { find: (name) => ({ name, chain }) },
    clock: impatientClock,
    random: seededRandom(1),
  });
  let [asks, ends] = [0, 0];
  const admit = async () => {
    asks += 1;
    return { end: async () => void (ends += 1) };
  };
  const text = await caller
    .call({
      request: { model: "m", prompt: "hello" },
      admission: { admit },
      priority: "foreground",
      allowModelFallback: true,
      onEvent: () => {},
      signal: new AbortController().signal,
      deadlineMs: Number.POSITIVE_INFINITY,
    })
    .then(
      (result) => result.response.text,
      () => undefined,
    );
  return { text, asks, ends };
}

const whole: Reading = { text: fullText, isComplete: true, hasFailed: false };

describe("[B034] [B035] a model's stream reads the same wherever the network cuts it into pieces", () => {
  it.each(spellingsOf(lines))("with line end $name, at every offset", async ({ bytes }) => {
    const readings = await Promise.all(
      splitsOf(bytes).map(async ([name, pieces]) => [name, await read(pieces)] as const),
    );
    expect(readings).toEqual(readings.map(([name]) => [name, whole]));
  });

  it("in any pieces", async () => {
    const bytes = new TextEncoder().encode(lines.join("\n"));
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(cuts, async (found) => {
        const edges = [0, ...found.toSorted((left, right) => left - right), bytes.length];
        const pieces = edges.slice(1).map((edge, index) => bytes.slice(edges[index], edge));
        expect(await read(pieces)).toEqual(whole);
      }),
    );
  });
});

describe("[B025] [B026] [B029] a model's stream that breaks off is an answer only behind its finish", () => {
  it.each(spellingsOf(lines))("with line end $name, after every byte", async ({ name, bytes }) => {
    const finished = spellingsOf(untilFinish).find((each) => each.name === name)?.bytes.length ?? 0;
    const faults = await Promise.all(
      cutsOf(bytes).map(async ({ offset, ending, pieces }) => {
        const reading = await read(pieces, ending);
        const fault = cutFault(reading, { text: fullText, isFinished: offset > finished });
        return fault === undefined ? [] : [`${ending} after ${offset}: ${fault}`];
      }),
    );
    expect(faults.flat()).toEqual([]);
  });

  it("and so says the call above it, which asks again only where nothing had come, and ends every permit it took", async () => {
    const [plain] = spellingsOf(lines);
    const finished = new TextEncoder().encode(untilFinish.join("\n")).length;
    const cuts = cutsOf(plain?.bytes ?? new Uint8Array()).filter(({ offset }) => offset % 5 === 0);
    const judged = await Promise.all(
      cuts.map(async ({ offset, ending, pieces }) => {
        const { text, asks, ends } = await callOver(pieces, ending);
        const isRight = text === undefined ? offset <= finished : text === fullText;
        const atMost = (await read(pieces, ending)).text === "" ? 4 : 1;
        return { offset, ending, isRight, isBounded: asks <= atMost, areEnded: asks === ends };
      }),
    );
    expect(judged).toEqual(
      cuts.map(({ offset, ending }) => ({
        offset,
        ending,
        isRight: true,
        isBounded: true,
        areEnded: true,
      })),
    );
  });

  it("control: each of the three outcomes comes about", async () => {
    const bytes = new TextEncoder().encode(lines.join("\n"));
    const of = async (length: number) => read([bytes.slice(0, length)]);
    expect(await of(10)).toEqual({ text: "", isComplete: false, hasFailed: true });
    expect(await of(80)).toMatchObject({ text: "zwölf ", isComplete: false, hasFailed: true });
    expect(await of(bytes.length)).toEqual(whole);
  });

  it.each([
    ["a part taken for the whole", { text: "zwölf ", isComplete: true, hasFailed: false }],
    ["a clean end taken for nothing", { text: "zwölf ", isComplete: false, hasFailed: false }],
    ["words nobody sent", { text: "zwolf", isComplete: false, hasFailed: true }],
    ["an answer lost behind its finish", { text: fullText, isComplete: false, hasFailed: true }],
  ])("control: it would notice %s", (_, reading) => {
    expect(cutFault(reading, { text: fullText, isFinished: true })).not.toBeUndefined();
  });
});
