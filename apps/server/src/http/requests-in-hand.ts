import type { Server, ServerResponse } from "node:http";

import { sleep } from "@bridle/kernel";
import type { Clock } from "@bridle/kernel";

/** The requests a server is answering now: what its end waits for, and all it waits for. */
export class RequestsInHand {
  readonly #open = new Set<ServerResponse>();
  #onNone: (() => void) | undefined;

  constructor(server: Server) {
    server.on("request", (_request, response: ServerResponse) => {
      this.#open.add(response);
      response.once("close", () => {
        this.#open.delete(response);
        if (this.#open.size === 0) this.#onNone?.();
      });
    });
  }

  /** Resolves when none is left, or when the time is up. */
  async endedWithin(clock: Clock, ms: number): Promise<void> {
    if (this.#open.size === 0) return;
    const ended = new AbortController();
    this.#onNone = () => ended.abort();
    await sleep({ clock, ms, signal: ended.signal }).catch(() => undefined);
  }
}
