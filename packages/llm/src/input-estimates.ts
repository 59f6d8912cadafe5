/**
 * What the input of a wire call will be counted as (BU-15): by the public tokenizer of its family where there is a counter and it can
 * say, else by runs of text; scaled by what this target's inputs were billed before.
 *
 * E1. Never more than the bytes of the text.
 * E2. Each way of estimating learns from its own outcomes: what one of them misses says nothing about the other.
 */
import {
  CalibrationBook,
  countedTokens,
  encodingOf,
  estimateTokens,
  sumMessages,
} from "@bridle/budget";
import type { ModelFamily, TokenEstimate } from "@bridle/budget";
import type { TokenCounter } from "@bridle/ports";
import type { Message } from "@bridle/protocol";

export interface InputEstimate extends TokenEstimate {
  /** Before it was scaled, and under which name it learns. */
  readonly unscaled: number;
  readonly name: string;
}

export interface EstimatedTarget {
  readonly key: string;
  readonly family?: ModelFamily | undefined;
}

export class InputEstimates {
  readonly #counter: TokenCounter | undefined;
  readonly #book = new CalibrationBook();

  constructor(counter: TokenCounter | undefined) {
    this.#counter = counter;
  }

  async of({ key, family }: EstimatedTarget, messages: readonly Message[]): Promise<InputEstimate> {
    const counted = await this.#counted(messages, family);
    const estimates = counted ?? messages.map(({ content }) => estimateTokens(content, family));
    const { tokens: unscaled, most } = sumMessages(estimates);
    const name = `${counted === undefined ? "estimated" : "counted"} ${key}`;
    const tokens = Math.min(most, Math.ceil(unscaled * this.#book.of(name)));
    return { tokens, most, unscaled, name };
  }

  /** To be told of the whole input of a call, as its provider counted it. */
  learn({ name, unscaled }: InputEstimate, inputTokens: number): void {
    this.#book.settled(name, { estimate: unscaled, actual: inputTokens });
  }

  async #counted(
    messages: readonly Message[],
    family: ModelFamily | undefined,
  ): Promise<readonly TokenEstimate[] | undefined> {
    const counter = this.#counter;
    if (counter === undefined) return undefined;
    const estimates: TokenEstimate[] = [];
    for (const { content } of messages) {
      // oxlint-disable-next-line no-await-in-loop -- side by side they would take the loop together
      const count = await counter.count(encodingOf(family), content);
      if (count === undefined) return undefined;
      estimates.push(countedTokens(count, content, family));
    }
    return estimates;
  }
}
