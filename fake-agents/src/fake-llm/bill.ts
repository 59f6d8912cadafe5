import { countFakeTokens } from "./count-tokens.ts";
import type { FakeRequest } from "./fake-request.ts";
import type { ProviderCounters } from "./provider-counters.ts";
import type { FakeUsage } from "./reply.ts";

/** What one request costs, kept up to date in the provider's counters (C2 and C3 there). */
export class Bill {
  readonly #model: string;
  readonly #counters: ProviderCounters;
  readonly #promptTokens: number;
  #sentText = "";
  #sentReasoning = "";
  #billedPrompt = 0;
  #billedCompletion = 0;

  constructor({ model, messages }: FakeRequest, counters: ProviderCounters) {
    this.#model = model;
    this.#counters = counters;
    this.#promptTokens = countFakeTokens(messages.map(({ content }) => content).join("\n"));
  }

  /** Input is owed from here on (C2). */
  accept(): void {
    this.#owe(this.#promptTokens, this.#billedCompletion);
  }

  /** Notes output text as sent: it is owed whatever happens next. */
  sent(text: string, { isReasoning }: { readonly isReasoning: boolean }): void {
    this.#sentText += text;
    if (isReasoning) this.#sentReasoning += text;
    this.#owe(this.#promptTokens, countFakeTokens(this.#sentText));
  }

  /** What an honest provider reports now. */
  honestUsage(): FakeUsage {
    const reasoning = countFakeTokens(this.#sentReasoning);
    return {
      prompt_tokens: this.#billedPrompt,
      completion_tokens: this.#billedCompletion,
      total_tokens: this.#billedPrompt + this.#billedCompletion,
      ...(reasoning > 0 && { completion_tokens_details: { reasoning_tokens: reasoning } }),
    };
  }

  /** A scripted usage is what the provider bills, right or wrong (C3). */
  billAs(usage: FakeUsage): void {
    this.#owe(
      usage.prompt_tokens ?? this.#billedPrompt,
      usage.completion_tokens ?? this.#billedCompletion,
    );
  }

  #owe(promptTokens: number, completionTokens: number): void {
    this.#counters.billed(
      this.#model,
      promptTokens - this.#billedPrompt,
      completionTokens - this.#billedCompletion,
    );
    this.#billedPrompt = promptTokens;
    this.#billedCompletion = completionTokens;
  }
}
