import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export interface MutedProxy {
  readonly port: number;
  /** From now on nothing passes on connections that are open, and none of them is ever closed: their other side has vanished. */
  mute(): void;
  close(): Promise<void>;
}

/** Stands before a server and can make it vanish without a word; connections made after that are served as before. */
export async function startMutedProxy(port: number): Promise<MutedProxy> {
  const sockets = new Set<Socket>();
  let muted = new AbortController();
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    const { signal } = muted;
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => undefined);
      from.on("data", (chunk) => {
        if (!signal.aborted) to.write(chunk);
      });
      from.on("close", () => {
        if (!signal.aborted) to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    // Safe: a server that listens on TCP has an AddressInfo.
    port: (server.address() as AddressInfo).port,
    mute: () => {
      muted.abort();
      muted = new AbortController();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
