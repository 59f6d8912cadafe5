/**
 * Opens sockets, directly or through a proxy's tunnel.
 *
 * 1. What was begun can be ended at any moment: the function that comes back closes whatever is open by then (T3).
 * 2. `done` is called once at most, and not after that.
 */
import { request as requestPlain } from "node:http";
import type { ClientRequest } from "node:http";
import { request as requestSecure } from "node:https";
import type { Socket } from "node:net";

import { buildConnector } from "undici";

import type { Settings } from "./settings.ts";
import { TransportFailure } from "./transport-failure.ts";

type Done = buildConnector.Callback;
type Target = buildConnector.Options;
/** Begins, and returns the way to end it. */
export type Dial = (target: Target, done: Done) => () => void;

export interface DialOptions {
  readonly settings: Settings;
  readonly forceIpv4: boolean;
  /** Certificates (PEM) to trust in place of the system's. */
  readonly ca: string | undefined;
}

export function createDial({ settings, forceIpv4, ca }: DialOptions): Dial {
  const connect = buildConnector({
    // The call's own clock limits connecting, with the tunnel inside.
    timeout: 0,
    allowH2: false,
    keepAlive: true,
    keepAliveInitialDelay: settings.keepAliveProbeMs,
    autoSelectFamily: !forceIpv4,
    ...(forceIpv4 && { family: 4 }),
    ...(ca !== undefined && { ca }),
  });
  return (target, done) => {
    // Safe: undici 7 returns the socket, which its types do not say; the tests of an abort while connecting would go red.
    const socket = connect(target, done) as unknown as Socket;
    return () => void socket.destroy();
  };
}

export interface TunnelOptions extends DialOptions {
  readonly proxy: URL;
}

/** Every target goes through `CONNECT`, so the proxy sees a host and a port and nothing more. */
export function createTunnelDial(options: TunnelOptions): Dial {
  const direct = createDial(options);
  return (target, done) => {
    const tunnel = new Tunnel({ target, done, direct, proxy: options.proxy });
    tunnel.open(askForTunnel(target, options));
    return () => tunnel.end();
  };
}

interface TunnelParts {
  readonly target: Target;
  readonly done: Done;
  readonly direct: Dial;
  readonly proxy: URL;
}

class Tunnel {
  readonly #parts: TunnelParts;
  readonly #closers: (() => void)[] = [];
  #isOver = false;

  constructor(parts: TunnelParts) {
    this.#parts = parts;
  }

  open(asked: ClientRequest): void {
    this.#closers.push(() => asked.destroy());
    // Stays after the end as well: destroying the request is an error of it.
    asked.on("error", (error) => this.#fail(this.#fault("did not answer", error)));
    asked.once("response", ({ statusCode }) => this.#fail(this.#fault(`answered ${statusCode}`)));
    asked.once("connect", ({ statusCode }, socket) => {
      this.#closers.push(() => socket.destroy());
      if (this.#isOver) socket.destroy();
      else if (statusCode === 200) this.#enter(socket);
      else this.#fail(this.#fault(`answered ${statusCode}`));
    });
    asked.end();
  }

  end(): void {
    this.#isOver = true;
    for (const close of this.#closers.splice(0)) close();
  }

  /** TLS is spoken with the target, inside. */
  #enter(tunnel: Socket): void {
    const { target, direct } = this.#parts;
    if (target.protocol !== "https:") return this.#succeed(tunnel);
    const endSecure = direct({ ...target, httpSocket: tunnel }, (...[error, socket]) => {
      // undici leaves the socket out of an error altogether.
      if (error === null) this.#succeed(socket);
      else this.#fail(error);
    });
    this.#closers.unshift(endSecure);
  }

  #succeed(socket: Socket): void {
    if (!this.#isOver) this.#parts.done(null, socket);
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.end();
    this.#parts.done(error, null);
  }

  #fault(what: string, cause?: Error): TransportFailure {
    const { host } = this.#parts.proxy;
    return new TransportFailure({
      code: "proxy_failed",
      message: `The proxy ${host} ${what} when asked for a tunnel. Check HTTPS_PROXY (or \`proxy\`) and its user name and password, or except the provider with NO_PROXY.`,
      cause,
    });
  }
}

function askForTunnel(
  target: Target,
  { proxy, forceIpv4, ca, settings }: TunnelOptions,
): ClientRequest {
  const authority = `${target.hostname}:${target.port || (target.protocol === "https:" ? 443 : 80)}`;
  const { username, password } = proxy;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const isSecure = proxy.protocol === "https:";
  const options = {
    method: "CONNECT",
    host: proxy.hostname.replaceAll(/^\[|\]$/g, ""),
    port: proxy.port || (isSecure ? 443 : 80),
    path: authority,
    agent: false as const,
    keepAlive: true,
    keepAliveInitialDelay: settings.keepAliveProbeMs,
    headers: {
      host: authority,
      ...(username !== "" && {
        "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}`,
      }),
    },
    ...(forceIpv4 && { family: 4 }),
    ...(ca !== undefined && { ca }),
  };
  return isSecure ? requestSecure(options) : requestPlain(options);
}
