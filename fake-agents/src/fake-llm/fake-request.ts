/** One request as the provider understood it. */
export interface FakeRequest {
  /** Counts from 0 over all requests, and over those for this model. */
  readonly index: number;
  readonly indexForModel: number;
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly maxTokens: number | undefined;
  readonly stream: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

interface ChatBody {
  readonly model?: unknown;
  readonly messages?: unknown;
  readonly max_tokens?: unknown;
  readonly stream?: unknown;
}

/** What `content` says, whether it is a string or a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (part as { text?: unknown }).text)
    .filter((text) => typeof text === "string")
    .join("");
}

function messagesOf(messages: unknown): FakeRequest["messages"] {
  if (!Array.isArray(messages)) return [];
  return messages.map((message: { role?: unknown; content?: unknown }) => ({
    role: typeof message.role === "string" ? message.role : "user",
    content: textOf(message.content),
  }));
}

/** Undefined when the body is no chat request. */
export function readFakeRequest(
  text: string,
  place: Pick<FakeRequest, "index" | "headers"> & { indexForModel: (model: string) => number },
): FakeRequest | undefined {
  let body: ChatBody;
  try {
    body = JSON.parse(text) as ChatBody;
  } catch {
    return undefined;
  }
  if (typeof body?.model !== "string" || !Array.isArray(body.messages)) return undefined;
  return {
    index: place.index,
    indexForModel: place.indexForModel(body.model),
    model: body.model,
    messages: messagesOf(body.messages),
    maxTokens: typeof body.max_tokens === "number" ? body.max_tokens : undefined,
    stream: body.stream === true,
    headers: place.headers,
  };
}
