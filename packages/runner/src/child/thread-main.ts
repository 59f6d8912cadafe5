/**
 * Entry of an isolate that is a thread. `workerData` names the agent's module and its name, and holds the port to the supervisor:
 * JSON text both ways, and numbers that say how much of ours was taken.
 *
 * A module that cannot be imported, or an error nobody caught, ends the thread the way Node does; the supervisor hears the error.
 */
import { workerData } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";

import type { ToIsolate } from "@bridle/protocol";

import { CreditSender } from "./credit-sender.ts";
import { isolateClock } from "./isolate-clock.ts";
import { loadAgent } from "./load-agent.ts";
import { TaskHost } from "./task-host.ts";

/** What `startThreadIsolate` hands over. */
export interface ThreadData {
  readonly module: string;
  readonly agent: string;
  /** The module is TypeScript and this Node cannot run it by itself. */
  readonly stripsTypes: boolean;
  readonly port: MessagePort;
}

// Safe: the only starter of this file writes it.
const { module, agent, stripsTypes, port } = workerData as ThreadData;
if (stripsTypes) (await import("tsx/esm/api")).register();

const sender = new CreditSender((text) => port.postMessage(text));
const host = new TaskHost({
  agent: await loadAgent(module, agent),
  clock: isolateClock,
  folder: undefined,
  send: (message) => sender.send(JSON.stringify(message)),
  activeResources: () => process.getActiveResourcesInfo(),
});
port.on("message", (received: string | number) => {
  if (typeof received === "number") sender.taken(received);
  // The supervisor is the only writer on this port; its texts are ToIsolate messages.
  else host.handle(JSON.parse(received) as ToIsolate);
});
sender.send(JSON.stringify({ type: "ready" }));
