/**
 * An HTTP server on loopback whose connections may misbehave before HTTP begins. Once closed it has none left.
 */
import { createServer as createHttpServer } from "node:http";
import type { RequestListener } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";

/**
 * What becomes of a connection: `serve`; `half_open`: accepted, never read, never answered, never closed; `reset`: reset as soon as it
 * is there.
 */
export type ConnectionBehaviour = "serve" | "half_open" | "reset";

export class LoopbackServer {
  readonly sockets = new Set<Socket>();
  readonly #server: Server;
  #behaviours: ConnectionBehaviour[] = [];

  constructor(listener: RequestListener) {
    const http = createHttpServer(listener);
    // Nothing is read of a connection before its behaviour is known; what is served is set up as node's own HTTP server does it.
    const options = { pauseOnConnect: true, noDelay: true, allowHalfOpen: true };
    this.#server = createServer(options, (socket) => {
      this.#track(socket);
      const behaviour = this.#behaviours.shift() ?? "serve";
      if (behaviour === "reset") socket.resetAndDestroy();
      if (behaviour !== "serve") return;
      http.emit("connection", socket);
      socket.resume();
    });
  }

  /** For connections to come, one each; then they are served. */
  behave(behaviours: readonly ConnectionBehaviour[]): void {
    this.#behaviours = [...behaviours];
  }

  /** Resolves to the port. */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", () => resolve());
    });
    // Safe: a server that listens on TCP has an AddressInfo.
    return (this.#server.address() as AddressInfo).port;
  }

  /** The server counts a connection as ended a little before its socket says so; both are waited for. */
  async close(): Promise<void> {
    const ended = [...this.sockets].map(
      (socket) => new Promise((resolve) => socket.once("close", resolve)),
    );
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    await Promise.all([closed, ...ended]);
  }

  #track(socket: Socket): void {
    this.sockets.add(socket);
    socket.once("close", () => this.sockets.delete(socket));
    // A reset by the caller is one of the things under test, not a fault of this process.
    socket.on("error", () => undefined);
  }
}
