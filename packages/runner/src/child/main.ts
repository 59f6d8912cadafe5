/**
 * Entry of an isolate's process. Arguments: the agent's module, its name, the exchange folder. File descriptor 3 is the pipe to the
 * supervisor; 4 belongs to the lifeline and is closed here before this runs.
 *
 * A module that cannot be imported, or an error nobody caught, ends the process the way Node does, with file and line on
 * stderr: the supervisor reads them there.
 */
import { Socket } from "node:net";

import type { FromIsolate, ToIsolate } from "@bridle/protocol";

import { encodeFrame, FrameDecoder } from "../wire/frame.ts";
import { isolateClock } from "./isolate-clock.ts";
import { loadAgent } from "./load-agent.ts";
import { TaskHost } from "./task-host.ts";

const channelDescriptor = 3;

const [moduleUrl = "", agentName = "", folder = ""] = process.argv.slice(2);

// The cancel message carries the reason and comes first; the signal itself must not end the process before its grace.
process.on("SIGTERM", () => {});

const socket = new Socket({ fd: channelDescriptor, readable: true, writable: true });
const send = (message: FromIsolate): void => {
  socket.write(encodeFrame(message));
};
socket.on("close", () => process.exit(0));
socket.on("error", () => process.exit(1));

const host = new TaskHost({
  agent: await loadAgent(moduleUrl, agentName),
  clock: isolateClock,
  folder,
  send,
  activeResources: () => process.getActiveResourcesInfo(),
});
const decoder = new FrameDecoder();
socket.on("data", (chunk: Buffer) => {
  // The supervisor is the only writer on this pipe; its frames are ToIsolate messages.
  for (const { message } of decoder.push(chunk)) host.handle(message as ToIsolate);
});
send({ type: "ready" });
