import OpenAI from "openai";

import { clientOptions, prompt } from "./heard.ts";
import type { Asking, Heard } from "./heard.ts";

/** A message, or a piece of one, with what servers add that speak OpenAI's API. */
interface Words {
  readonly content?: string | null;
  readonly reasoning_content?: string;
  readonly refusal?: string | null;
}

interface Call {
  name: string;
  arguments: string;
}

/** OpenAI chat completions, read by OpenAI's own client. */
export async function hearChat({ url, stream, maxTokens, signal }: Asking): Promise<Heard> {
  const { completions } = new OpenAI({ ...clientOptions, baseURL: url }).chat;
  const asked = {
    model: "m",
    messages: [{ role: "user" as const, content: prompt }],
    ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
  };
  if (stream) return hearChunks(await completions.create({ ...asked, stream }, { signal }));
  const { choices, usage } = await completions.create(asked, { signal });
  const [choice] = choices;
  if (choice === undefined) throw new Error("An answer without a choice.");
  const calls = (choice.message.tool_calls ?? []).flatMap((call) =>
    call.type === "function" ? [call.function] : [],
  );
  return {
    ...saidIn(choice.message),
    calls: calls.map(readCall),
    stop: choice.finish_reason,
    usage,
  };
}

async function hearChunks(chunks: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<Heard> {
  let said = saidIn({});
  const calls: Call[] = [];
  let stop: string | null = null;
  let usage: unknown;
  for await (const chunk of chunks) {
    usage ??= chunk.usage ?? undefined;
    const [choice] = chunk.choices;
    if (choice === undefined) continue;
    stop ??= choice.finish_reason;
    said = append(said, saidIn(choice.delta));
    for (const piece of choice.delta.tool_calls ?? []) addPiece(calls, piece);
  }
  return { ...said, calls: calls.map(readCall), stop, usage };
}

function saidIn({ content, reasoning_content: reasoning, refusal }: Words) {
  return { text: content ?? "", reasoning: reasoning ?? "", refusal: refusal ?? "" };
}

type Said = ReturnType<typeof saidIn>;

function append(before: Said, more: Said): Said {
  return {
    text: before.text + more.text,
    reasoning: before.reasoning + more.reasoning,
    refusal: before.refusal + more.refusal,
  };
}

function addPiece(
  calls: Call[],
  { index, function: called }: OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall,
): void {
  const call = (calls[index] ??= { name: "", arguments: "" });
  call.name += called?.name ?? "";
  call.arguments += called?.arguments ?? "";
}

function readCall(call: Call) {
  return { name: call.name, arguments: JSON.parse(call.arguments) as unknown };
}
