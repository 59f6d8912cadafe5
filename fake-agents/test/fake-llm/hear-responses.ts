import OpenAI from "openai";
import { expect } from "vitest";

import { clientOptions, prompt } from "./heard.ts";
import type { Asking, Heard } from "./heard.ts";

type Response = OpenAI.Responses.Response;

/** OpenAI responses, read by OpenAI's own client. */
export async function hearResponses({ url, stream, maxTokens, signal }: Asking): Promise<Heard> {
  const { responses } = new OpenAI({ ...clientOptions, baseURL: url });
  const asked = {
    model: "m",
    input: prompt,
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
  };
  if (stream) return hearEvents(await responses.create({ ...asked, stream }, { signal }));
  return heardIn(await responses.create(asked, { signal }));
}

function heardIn(response: Response): Heard {
  const contents = response.output.flatMap((item) => (item.type === "message" ? item.content : []));
  const summaries = response.output.flatMap((item) =>
    item.type === "reasoning" ? item.summary : [],
  );
  return {
    text: response.output_text,
    reasoning: summaries.map(({ text }) => text).join(""),
    refusal: contents.map((part) => (part.type === "refusal" ? part.refusal : "")).join(""),
    calls: response.output.flatMap((item) =>
      item.type === "function_call"
        ? [{ name: item.name, arguments: JSON.parse(item.arguments) as unknown }]
        : [],
    ),
    stop: response.incomplete_details?.reason ?? response.status,
    usage: response.usage ?? undefined,
  };
}

/** The pieces must come to what the last event says, and its items to those that were announced as done. */
async function hearEvents(events: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>) {
  const pieces = { text: "", reasoning: "", refusal: "", arguments: "" };
  const numbers: number[] = [];
  const items: unknown[] = [];
  let last: Response | undefined;
  for await (const event of events) {
    numbers.push(event.sequence_number);
    if (event.type === "response.output_text.delta") pieces.text += event.delta;
    if (event.type === "response.reasoning_summary_text.delta") pieces.reasoning += event.delta;
    if (event.type === "response.refusal.delta") pieces.refusal += event.delta;
    if (event.type === "response.function_call_arguments.delta") pieces.arguments += event.delta;
    if (event.type === "response.output_item.done") items.push(event.item);
    if (event.type === "response.completed" || event.type === "response.incomplete") {
      last = event.response;
    }
  }
  if (last === undefined) return { ...pieces, calls: [], stop: undefined, usage: undefined };
  expect(numbers).toEqual(numbers.map((_number, at) => at));
  expect(last.output).toEqual(items);
  // A stream's last response has no `output_text`: the client adds it to whole ones only.
  const { arguments: called, ...said } = pieces;
  const whole = heardIn({ ...last, output_text: pieces.text });
  expect(whole).toMatchObject(said);
  expect(
    last.output.map((item) => (item.type === "function_call" ? item.arguments : "")).join(""),
  ).toBe(called);
  return whole;
}
