import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { isSameUsage, mergeUsage, readUsage } from "@bridle/budget";
import type { WireFailure, WirePart } from "@bridle/ports";
import type { TokenUsage } from "@bridle/protocol";

import { errorObjectFacts } from "./error-facts.ts";
import { finishReasonOf } from "./finish-reason.ts";
import { toWireError, wireErrorOf } from "./to-wire-error.ts";
import { readWireChunk } from "./wire-chunk.ts";

/** What has been read of one answer, and what each further part means. */
export class ChatReading {
  readonly #redact: (text: string) => string;
  #hasText = false;
  #isRefusal = false;
  #finishReason: string | undefined;
  #usage: TokenUsage = {};

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  /** Reasoning is nothing a caller has acted on: only text counts as output here. */
  get stage(): WireFailure["stage"] {
    return this.#hasText ? "after_output" : "before_output";
  }

  get isComplete(): boolean {
    return this.#finishReason !== undefined;
  }

  /** Throws a WireError when the part says that the call failed. */
  *read(part: LanguageModelV3StreamPart | "activity"): Generator<WirePart> {
    if (part === "activity") yield { type: "activity" };
    else if (part.type === "raw") yield* this.#readRaw(part.rawValue);
    else if (part.type === "text-delta") yield* this.#readText(part.delta);
    else if (part.type === "reasoning-delta") yield { type: "reasoning", text: part.delta };
    else if (part.type === "error") this.#fail(part.error);
    else if (part.type === "finish")
      this.#isRefusal = part.finishReason.unified === "content-filter";
  }

  finish(): WirePart {
    const raw = this.#finishReason;
    if (this.#isRefusal) return { type: "finish", reason: "content_filter", raw };
    return { type: "finish", reason: raw === undefined ? "error" : finishReasonOf(raw), raw };
  }

  *#readText(text: string): Generator<WirePart> {
    if (text === "") return;
    this.#hasText = true;
    yield { type: "text", text };
  }

  *#readRaw(raw: unknown): Generator<WirePart> {
    const chunk = readWireChunk(raw);
    this.#finishReason ??= chunk.finishReason;
    yield* this.#readUsage(chunk.usage);
    if (chunk.error === undefined) return;
    throw wireErrorOf(errorObjectFacts(chunk.error), { stage: this.stage, redact: this.#redact });
  }

  *#readUsage(raw: unknown): Generator<WirePart> {
    const { usage: report, unsound } = readUsage("openai", raw);
    const usage = mergeUsage(this.#usage, report);
    if (isSameUsage(usage, this.#usage) && unsound.length === 0) return;
    this.#usage = usage;
    yield { type: "usage", usage, ...(unsound.length > 0 && { unsound }) };
  }

  /** Any error part is a failure, although the SDK may go on to a cheerful `stop` after it. */
  #fail(error: unknown): void {
    throw toWireError(error, { stage: this.stage, redact: this.#redact });
  }
}
