/** What a client has of one answer, in words that belong to no API; stop reason and usage stay as the API spells them. */
export interface Heard {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly stop: string | null | undefined;
  readonly usage: unknown;
}

export interface Asking {
  /** The provider's URL. */
  readonly url: string;
  readonly stream: boolean;
  readonly maxTokens?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An official client that retries nothing: each call is one request. */
export const clientOptions = { apiKey: "sk-test", maxRetries: 0, timeout: 10_000 };

/** Says what the prompt in every test here is: three fake tokens. */
export const prompt = "Hello there";
