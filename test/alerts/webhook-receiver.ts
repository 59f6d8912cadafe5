import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { Webhook } from "standardwebhooks";

/** One message as it came over the wire. */
export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What the body says, whether or not its signature holds. */
  readonly message: {
    readonly type: string;
    readonly data: {
      readonly id: string;
      readonly name: string;
      readonly runId?: string;
      readonly spent?: Readonly<Record<string, string>>;
      readonly [member: string]: unknown;
    };
  };
}

type Answer = "hang" | { readonly status: number; readonly headers?: Record<string, string> };

export interface WebhookReceiver {
  readonly url: string;
  readonly got: readonly Received[];
  /** How it answers from now on. */
  answers(answer: Answer): void;
  close(): Promise<void>;
}

/** A real HTTP server that keeps what is posted to it. */
export async function startReceiver(first: Answer = { status: 204 }): Promise<WebhookReceiver> {
  const got: Received[] = [];
  let answer = first;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const message = body === "" ? {} : (JSON.parse(body) as Received["message"]);
      // Node joins what is repeated; none of ours is.
      const headers = request.headers as Record<string, string>;
      got.push({ headers, body, message: message as Received["message"] });
      if (answer !== "hang") response.writeHead(answer.status, answer.headers).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    got,
    answers: (next) => {
      answer = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Whether the reference implementation of Standard Webhooks takes it. */
export function isSignedWith(secret: string, { body, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(body, { ...headers });
    return true;
  } catch {
    return false;
  }
}
