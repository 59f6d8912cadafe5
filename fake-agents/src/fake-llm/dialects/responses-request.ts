import { numberOf, objectsIn, roleOf, textOf } from "./dialect.ts";
import type { AskedFor, JsonObject } from "./dialect.ts";

type Messages = AskedFor["messages"];

export function readResponsesRequest(body: JsonObject): AskedFor | undefined {
  const { model, input, instructions } = body;
  if (typeof model !== "string") return undefined;
  if (typeof input !== "string" && !Array.isArray(input)) return undefined;
  const system = textOf(instructions);
  return {
    model,
    messages: [
      ...(system === "" ? [] : [{ role: "system", content: system }]),
      ...(typeof input === "string"
        ? [{ role: "user", content: input }]
        : messagesOf(objectsIn(input))),
    ],
    maxTokens: numberOf(body["max_output_tokens"]),
    stream: body["stream"] === true,
  };
}

/** Items that are neither messages nor results, such as earlier reasoning, say nothing here. */
function messagesOf(items: readonly JsonObject[]): Messages {
  return items.flatMap(({ type, role, content, output }) => {
    if (type === "function_call_output") return [{ role: "tool", content: textOf(output) }];
    const isMessage = type === "message" || type === undefined;
    return isMessage ? [{ role: roleOf(role), content: textOf(content) }] : [];
  });
}
