import { createHash } from "node:crypto";

import { toMessages } from "@bridle/protocol";
import type { ModelRequest } from "@bridle/protocol";

export interface CacheQuestion {
  /** `provider/model` that answers. */
  readonly target: string;
  readonly request: ModelRequest;
  /** Who may see the answer; undefined: an installation without API keys has one tenant. */
  readonly tenant: string | undefined;
}

/**
 * The name under which an answer is kept (BU-18): model family, normalised messages, every other parameter (tool schemas among them
 * once a request has such), tenant. Two questions of one name have one answer; anything that could change it is in the name.
 */
export function cacheKey({ target, request, tenant }: CacheQuestion): string {
  const { model: _model, cache: _cache, prompt: _prompt, ...rest } = request;
  const { system: _system, messages: _messages, ...parameters } = rest;
  const messages = toMessages(request).map(({ role, content }) => [role, normalised(content)]);
  const named = [1, tenant ?? null, modelFamily(target), messages, sorted(parameters)];
  return createHash("sha256").update(JSON.stringify(named)).digest("hex");
}

/** Dated editions of one model are one family: `openai/gpt-x-2026-01-31` and `openai/gpt-x`. */
export function modelFamily(target: string): string {
  return target.replace(/[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/, "");
}

/** What no model reads differently: line ends, blanks at the end of lines, how an accent is composed. */
function normalised(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(/[ \t]+(?=\n|$)/g, "")
    .trim()
    .normalize("NFC");
}

/** In an order of its own, so that how a request was written does not matter. Values are plain data. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return members
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)]);
}
