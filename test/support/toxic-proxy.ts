import { setMaxListeners } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** What goes wrong with bytes on their way. Requests are what clients send, answers what they get. */
export type Toxic =
  /** Every piece is so late, each way. */
  | { readonly type: "latency"; readonly ms: number }
  | { readonly type: "bandwidth"; readonly bytesPerSecond: number }
  /** Taken and never passed on, while every connection stays open: the other side hears nothing and is told nothing. */
  | { readonly type: "half-open"; readonly swallows: "requests" | "answers" | "both" }
  /** The connection ends when so many bytes of answers have passed on it; 0 at the first of them. */
  | { readonly type: "cut"; readonly afterBytes: number; readonly how: "close" | "reset" }
  /** New connections are reset at once. */
  | { readonly type: "refuse" };

export interface ProxyCounts {
  readonly accepted: number;
  readonly refused: number;
  readonly open: number;
  /** Ended by `cut`. */
  readonly cut: number;
  readonly requestBytes: number;
  readonly answerBytes: number;
  readonly swallowedBytes: number;
}

export interface ToxicProxy {
  readonly port: number;
  readonly counts: ProxyCounts;
  /** From now on these and no others, for bytes on open connections as well. None: all passes. */
  set(...toxics: readonly Toxic[]): void;
  /** Nothing passes any more on the connections that are open, and none of them is ever closed; later ones are served. */
  vanish(): void;
  /** Every open connection is reset. */
  reset(): void;
  close(): Promise<void>;
}

type Direction = "requests" | "answers";

/** Time for the other side to read what came before a cut: a reset would overtake it. */
const beforeCutMs = 20;

interface Link {
  readonly near: Socket;
  readonly far: Socket;
  hasVanished: boolean;
  answered: number;
}

/** Stands before a server on loopback. */
export async function startToxicProxy(port: number): Promise<ToxicProxy> {
  const proxy = new Proxy(port);
  await proxy.listen();
  return proxy;
}

class Proxy implements ToxicProxy {
  readonly #target: number;
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #ended = new AbortController();
  readonly #counts = {
    accepted: 0,
    refused: 0,
    cut: 0,
    requestBytes: 0,
    answerBytes: 0,
    swallowedBytes: 0,
  };
  #toxics: readonly Toxic[] = [];

  constructor(target: number) {
    this.#target = target;
    // Every silent connection listens for it.
    setMaxListeners(0, this.#ended.signal);
    // A client may end its half and still wait for the answer.
    this.#server = createServer({ allowHalfOpen: true }, (near) => this.#accept(near));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  get port(): number {
    // Safe: a server that listens on TCP has an AddressInfo.
    return (this.#server.address() as AddressInfo).port;
  }

  get counts(): ProxyCounts {
    return { ...this.#counts, open: this.#links.size };
  }

  set(...toxics: readonly Toxic[]): void {
    this.#toxics = toxics;
  }

  vanish(): void {
    for (const link of this.#links) link.hasVanished = true;
  }

  reset(): void {
    for (const link of this.#links) end(link, "reset");
  }

  async close(): Promise<void> {
    this.#ended.abort();
    for (const link of this.#links) end(link, "close");
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(near: Socket): void {
    near.on("error", () => undefined);
    if (this.#find("refuse") !== undefined) {
      this.#counts.refused += 1;
      resetNow(near);
      return;
    }
    this.#counts.accepted += 1;
    const far = connect({ port: this.#target, host: "127.0.0.1", allowHalfOpen: true });
    far.on("error", () => undefined);
    const link: Link = { near, far, hasVanished: false, answered: 0 };
    this.#links.add(link);
    void Promise.all([this.#pump(link, "requests"), this.#pump(link, "answers")]).then(() =>
      this.#links.delete(link),
    );
  }

  /** One direction of one connection, piece by piece, until it ends. */
  async #pump(link: Link, direction: Direction): Promise<void> {
    const [from, to] = direction === "requests" ? [link.near, link.far] : [link.far, link.near];
    try {
      // The end of one half must not end the other, as iterating by itself would.
      const pieces = from.iterator({ destroyOnReturn: false });
      for await (const piece of pieces) await this.#pass(link, direction, piece as Buffer);
      if (this.#swallows(link, direction)) return await this.#silence();
      to.end();
    } catch {
      // Reset by one side: the other hears of it, unless nothing is heard any more.
      if (this.#swallows(link, direction)) return await this.#silence();
      end(link, "reset");
    }
  }

  async #pass(link: Link, direction: Direction, piece: Buffer): Promise<void> {
    await this.#delay(piece.length);
    if (this.#swallows(link, direction)) {
      this.#counts.swallowedBytes += piece.length;
      return;
    }
    if (direction === "requests") {
      this.#counts.requestBytes += piece.length;
      link.far.write(piece);
      return;
    }
    const cut = this.#find("cut");
    const passes = piece.subarray(0, Math.max(0, (cut?.afterBytes ?? Infinity) - link.answered));
    link.answered += passes.length;
    this.#counts.answerBytes += passes.length;
    if (passes.length > 0) await written(link.near, passes);
    if (cut === undefined || link.answered < cut.afterBytes) return;
    this.#counts.cut += 1;
    if (passes.length > 0) await pause(beforeCutMs, undefined, { signal: this.#ended.signal });
    end(link, cut.how);
  }

  async #delay(bytes: number): Promise<void> {
    const bandwidth = this.#find("bandwidth");
    const slowMs = bandwidth === undefined ? 0 : (bytes / bandwidth.bytesPerSecond) * 1000;
    const ms = slowMs + (this.#find("latency")?.ms ?? 0);
    // Closing the proxy ends every wait.
    if (ms > 0) await pause(ms, undefined, { signal: this.#ended.signal });
  }

  #swallows(link: Link, direction: Direction): boolean {
    const swallows = this.#find("half-open")?.swallows;
    return link.hasVanished || swallows === "both" || swallows === direction;
  }

  /** Until the proxy is closed. */
  async #silence(): Promise<void> {
    const { signal } = this.#ended;
    if (signal.aborted) return;
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  }

  #find<Type extends Toxic["type"]>(type: Type): Extract<Toxic, { type: Type }> | undefined {
    const found = this.#toxics.find((toxic) => toxic.type === type);
    // Safe: it was found by its type.
    return found as Extract<Toxic, { type: Type }> | undefined;
  }
}

function end({ near, far }: Link, how: "close" | "reset"): void {
  for (const socket of [near, far]) {
    if (how === "reset") resetNow(socket);
    else socket.destroy();
  }
}

/** `resetAndDestroy` ends the writing half first, so that the other side sees a clean end before the reset (Node 20 to 24). */
function resetNow(socket: Socket): void {
  Object.assign(socket, { resetAndClosing: true });
  socket.destroy();
}

/** Until the bytes are with the system: what follows may end the connection. */
async function written(socket: Socket, bytes: Buffer): Promise<void> {
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
}
