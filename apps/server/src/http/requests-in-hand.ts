import type { Server, ServerResponse } from "node:http";

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

  async ended(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#onNone = resolve));
  }
}
