/**
 * The fake provider of the real rounds, in virtual time: the same replies, texts, bills and counters, behind a `fetch` in place of a
 * socket, so that the product's own provider adapter reads every byte.
 */
import {
  Exchange,
  playReply,
  ProviderCounters,
  readFakeRequest,
} from "@bridle/fake-agents/fake-llm";
import type { FakeCounters, FakeReply, FakeRequest } from "@bridle/fake-agents/fake-llm";
import { sleep } from "@bridle/kernel";
import type { Clock } from "@bridle/kernel";
import type { GuardedFetch, GuardedRequest } from "@bridle/ports";

import { VirtualConnection } from "./virtual-connection.ts";
import { VirtualLink } from "./virtual-link.ts";
import type { LinkOptions } from "./virtual-link.ts";

export interface VirtualProviderOptions extends LinkOptions {
  /** By which it pauses within an answer. */
  readonly clock: Clock;
  readonly script: (request: FakeRequest) => FakeReply;
  /** A reply that could not be played. */
  readonly onFault: (error: unknown) => void;
}

/** Nothing that hangs is ever let go on: scenarios have nobody who would. */
const neverReleased = new AbortController().signal;

export class VirtualProvider {
  readonly url = "https://provider.invalid/v1";
  readonly #options: VirtualProviderOptions;
  readonly #counters = new ProviderCounters();

  constructor(options: VirtualProviderOptions) {
    this.#options = options;
  }

  counters(): FakeCounters {
    return this.#counters.snapshot();
  }

  readonly fetch: GuardedFetch = async (_url, request) => {
    request.signal?.throwIfAborted();
    const there = new VirtualLink(this.#options);
    const back = new VirtualLink(this.#options);
    const connection = new VirtualConnection({ request, there, back });
    there.carry(() => this.#serve(request, connection));
    return connection.response;
  };

  #serve({ body, headers }: GuardedRequest, connection: VirtualConnection): void {
    const { script, clock, onFault } = this.#options;
    const counters = this.#counters;
    const request = readFakeRequest(body ?? "", {
      index: counters.requests,
      indexForModel: (model) => counters.requestsFor(model),
      headers,
    });
    if (request === undefined) {
      onFault(new Error(`The provider was sent what is no chat request: ${body ?? "nothing"}.`));
      return;
    }
    counters.opened(request.model);
    connection.opened((how) => counters.closed(how));
    const exchange = new Exchange({
      request,
      response: connection,
      counters,
      gone: connection.gone,
      released: () => neverReleased,
      pause: async (ms, signal) => sleep({ clock, ms, signal }),
    });
    playReply(exchange, script(request)).catch(onFault);
  }
}
