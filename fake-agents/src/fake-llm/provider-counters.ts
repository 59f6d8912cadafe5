export interface ModelCounters {
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface FakeCounters extends ModelCounters {
  /** Requests whose answer is neither complete nor abandoned. */
  readonly open: number;
  /** Most requests that were open at once. */
  readonly maxOpen: number;
  /** Requests whose caller went away before the answer was complete. */
  readonly abandoned: number;
  readonly byModel: Readonly<Record<string, ModelCounters>>;
}

const nothing: ModelCounters = { requests: 0, promptTokens: 0, completionTokens: 0 };

/**
 * What was really asked of the provider and what it would bill. Invariants:
 * C1. A request is counted when its body has arrived, whatever is answered.
 * C2. Input is billed once for each request that is answered with 200, or never answered: also when its caller went away.
 *     What is refused, by its status or in another protocol, is free.
 * C3. Output is billed as it is sent; when an answer completes with a scripted usage, that usage counts in place of it.
 * C4. `open` falls exactly once per request.
 */
export class ProviderCounters {
  #total = nothing;
  #open = 0;
  #maxOpen = 0;
  #abandoned = 0;
  readonly #byModel = new Map<string, ModelCounters>();

  requestsFor(model: string): number {
    return this.#byModel.get(model)?.requests ?? 0;
  }

  get requests(): number {
    return this.#total.requests;
  }

  opened(model: string): void {
    this.#open += 1;
    this.#maxOpen = Math.max(this.#maxOpen, this.#open);
    this.#add(model, { requests: 1, promptTokens: 0, completionTokens: 0 });
  }

  closed({ abandoned }: { readonly abandoned: boolean }): void {
    this.#open -= 1;
    if (abandoned) this.#abandoned += 1;
  }

  /** Negative amounts correct an earlier count. */
  billed(model: string, promptTokens: number, completionTokens: number): void {
    this.#add(model, { requests: 0, promptTokens, completionTokens });
  }

  snapshot(): FakeCounters {
    return {
      ...this.#total,
      open: this.#open,
      maxOpen: this.#maxOpen,
      abandoned: this.#abandoned,
      byModel: Object.fromEntries(this.#byModel),
    };
  }

  /** Forgets what was counted; requests that are open stay open. */
  reset(): void {
    this.#total = nothing;
    this.#maxOpen = this.#open;
    this.#abandoned = 0;
    this.#byModel.clear();
  }

  #add(model: string, more: ModelCounters): void {
    this.#total = sum(this.#total, more);
    this.#byModel.set(model, sum(this.#byModel.get(model) ?? nothing, more));
  }
}

function sum(left: ModelCounters, right: ModelCounters): ModelCounters {
  return {
    requests: left.requests + right.requests,
    promptTokens: left.promptTokens + right.promptTokens,
    completionTokens: left.completionTokens + right.completionTokens,
  };
}
