import { numberOf, objectsIn, roleOf, textOf } from "./dialect.ts";
import type { AskedFor, JsonObject } from "./dialect.ts";

type Messages = AskedFor["messages"];

/** `max_tokens` is required there: without it nothing is answered. */
export function readMessages(body: JsonObject): AskedFor | undefined {
  const { model, messages, system } = body;
  const maxTokens = numberOf(body["max_tokens"]);
  if (typeof model !== "string" || !Array.isArray(messages) || maxTokens === undefined) {
    return undefined;
  }
  const instructions = textOf(system);
  return {
    model,
    messages: [
      ...(instructions === "" ? [] : [{ role: "system", content: instructions }]),
      ...objectsIn(messages).flatMap(messagesOf),
    ],
    maxTokens,
    stream: body["stream"] === true,
  };
}

/** Results of tools stand inside a user's message there; here each is a message of its own before the rest. */
function messagesOf({ role, content }: JsonObject): Messages {
  const results = objectsIn(content).filter(({ type }) => type === "tool_result");
  const text = textOf(content);
  const rest = { role: roleOf(role), content: text };
  return [
    ...results.map((result) => ({ role: "tool", content: textOf(result["content"]) })),
    ...(text === "" && results.length > 0 ? [] : [rest]),
  ];
}
