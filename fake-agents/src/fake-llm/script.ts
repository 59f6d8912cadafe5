import type { FakeRequest } from "./fake-request.ts";
import type { FakeReply } from "./reply.ts";

/**
 * How the provider behaves: a function of the request, a list played in order (its end means honest answers), or such a list per
 * model. The two last forms are plain JSON.
 */
export type FakeScript =
  | ((request: FakeRequest) => FakeReply)
  | readonly FakeReply[]
  | {
      readonly models?: Readonly<Record<string, readonly FakeReply[]>> | undefined;
      /** For models without a list, and after the end of one. Default: an honest answer. */
      readonly otherwise?: FakeReply | undefined;
    };

const honest: FakeReply = { type: "answer" };

/** The reply to one request. */
export function replyTo(script: FakeScript, request: FakeRequest): FakeReply {
  if (typeof script === "function") return script(request);
  if (isList(script)) return script[request.index] ?? honest;
  return script.models?.[request.model]?.[request.indexForModel] ?? script.otherwise ?? honest;
}

function isList(script: FakeScript): script is readonly FakeReply[] {
  return Array.isArray(script);
}
