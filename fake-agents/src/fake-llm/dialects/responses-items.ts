/** How one part of an answer stands in a response, whole and event by event: each part is an item of its own. */
import type { PlannedPart } from "../answer-part.ts";
import type { JsonObject } from "./dialect.ts";

type Events = readonly (readonly [type: string, more: JsonObject])[];

interface PartEvents {
  readonly open: Events;
  readonly delta: (piece: string) => Events;
  readonly close: Events;
}

function idOf({ type, index }: PlannedPart): string {
  if (type === "tool_call") return `fc_fake_${index}`;
  return type === "reasoning" ? `rs_fake_${index}` : `msg_fake_${index}`;
}

/** The item with what was said so far: nothing while it is in progress. */
export function itemOf(part: PlannedPart, status: "in_progress" | "completed"): JsonObject {
  const id = idOf(part);
  const isDone = status === "completed";
  if (part.type === "tool_call") {
    const callId = part.id ?? `call_fake_${part.index}`;
    const called = { call_id: callId, name: part.name, arguments: isDone ? part.text : "" };
    return { id, type: "function_call", status, ...called };
  }
  const said = isDone ? [contentOf(part, part.text)] : [];
  if (part.type === "reasoning") {
    const encrypted = part.signature !== undefined && { encrypted_content: part.signature };
    return { id, type: "reasoning", status, summary: said, ...encrypted };
  }
  return { id, type: "message", status, role: "assistant", content: said };
}

function contentOf(part: PlannedPart, text: string): JsonObject {
  if (part.type === "reasoning") return { type: "summary_text", text };
  if (part.type === "refusal") return { type: "refusal", refusal: text };
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

/** The names that one kind of part goes by. */
interface Names {
  readonly part: string;
  readonly indexName: string;
  readonly text: string;
  /** What the last event calls the whole text. */
  readonly whole: string;
}

const content = { part: "response.content_part", indexName: "content_index" };
const names: Readonly<Record<Exclude<PlannedPart["type"], "tool_call">, Names>> = {
  text: { ...content, text: "response.output_text", whole: "text" },
  refusal: { ...content, text: "response.refusal", whole: "refusal" },
  reasoning: {
    part: "response.reasoning_summary_part",
    indexName: "summary_index",
    text: "response.reasoning_summary_text",
    whole: "text",
  },
};

export function eventsOfPart(part: PlannedPart): PartEvents {
  const place = { output_index: part.index };
  const inner =
    part.type === "tool_call" ? callEvents(part) : contentEvents(part, names[part.type]);
  return {
    open: [
      ["response.output_item.added", { ...place, item: itemOf(part, "in_progress") }],
      ...inner.open,
    ],
    delta: inner.delta,
    close: [
      ...inner.close,
      ["response.output_item.done", { ...place, item: itemOf(part, "completed") }],
    ],
  };
}

function callEvents(part: PlannedPart): PartEvents {
  const place = { item_id: idOf(part), output_index: part.index };
  const name = "response.function_call_arguments";
  return {
    open: [],
    delta: (delta) => [[`${name}.delta`, { ...place, delta }]],
    close: [[`${name}.done`, { ...place, arguments: part.text }]],
  };
}

function contentEvents(
  part: PlannedPart,
  { part: partName, indexName, text, whole }: Names,
): PartEvents {
  const place = { item_id: idOf(part), output_index: part.index, [indexName]: 0 };
  const logprobs = part.type === "text" && { logprobs: [] };
  return {
    open: [[`${partName}.added`, { ...place, part: contentOf(part, "") }]],
    delta: (delta) => [[`${text}.delta`, { ...place, delta, ...logprobs }]],
    close: [
      [`${text}.done`, { ...place, [whole]: part.text, ...logprobs }],
      [`${partName}.done`, { ...place, part: contentOf(part, part.text) }],
    ],
  };
}
