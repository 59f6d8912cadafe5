import type { ModelCall, WireFailure, WirePart } from "@bridle/ports";
import type { TokenUsage } from "@bridle/protocol";

type Finish = Extract<WirePart, { readonly type: "finish" }>;

/** What one answer has said so far; tells the call's listener of each part. */
export class ReplyReading {
  readonly #call: Pick<ModelCall, "onDelta" | "onEvent">;
  readonly #target: string;
  readonly #unsound = new Set<string>();
  #text = "";
  #reasoning = "";
  #usage: TokenUsage = {};
  #finish: Finish | undefined;

  constructor(call: Pick<ModelCall, "onDelta" | "onEvent">, target: string) {
    this.#call = call;
    this.#target = target;
  }

  get text(): string {
    return this.#text;
  }

  /** All output that will be billed. */
  get output(): string {
    return this.#reasoning + this.#text;
  }

  get usage(): TokenUsage {
    return this.#usage;
  }

  get finish(): Finish | undefined {
    return this.#finish;
  }

  get stage(): WireFailure["stage"] {
    return this.#text === "" ? "before_output" : "after_output";
  }

  /** `output` when the part is output that counts; pings, empty deltas and usage are not. */
  read(part: WirePart): "output" | "activity" {
    if (part.type === "usage") this.#readUsage(part);
    else if (part.type === "finish") this.#finish = part;
    else if (part.type !== "activity" && part.text !== "") return this.#readOutput(part);
    this.#call.onEvent({ type: "activity" });
    return "activity";
  }

  /** A stream repeats its report; what is wrong with it is told once. */
  #readUsage({ usage, unsound = [] }: Extract<WirePart, { readonly type: "usage" }>): void {
    this.#usage = usage;
    for (const { field, value } of unsound) {
      if (this.#unsound.has(field)) continue;
      this.#unsound.add(field);
      this.#call.onEvent({ type: "unsound_usage", target: this.#target, field, value });
    }
  }

  #readOutput(part: Extract<WirePart, { readonly type: "text" | "reasoning" }>): "output" {
    if (part.type === "reasoning") this.#reasoning += part.text;
    else {
      this.#text += part.text;
      this.#call.onDelta?.(part.text);
    }
    this.#call.onEvent({ type: "progress" });
    return "output";
  }
}
