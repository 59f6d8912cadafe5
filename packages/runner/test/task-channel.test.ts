import { SimulatedClock } from "@bridle/kernel/testing";
import type { FromIsolate } from "@bridle/protocol";
import { expect, it } from "vitest";

import type { Isolate, IsolateListener } from "../src/isolates/isolate.ts";
import { TaskChannel } from "../src/supervision/task-channel.ts";

/** A channel whose isolate says what the test says. */
function conversation(): {
  readonly channel: TaskChannel;
  readonly heard: unknown[];
  readonly say: (message: FromIsolate) => void;
} {
  let listener: IsolateListener | undefined;
  const isolate = {
    listen: (given: IsolateListener) => (listener = given),
    send: () => undefined,
    end: undefined,
  };
  const heard: unknown[] = [];
  const channel = new TaskChannel({
    // What the channel does not call in these tests is left out.
    isolate: isolate as unknown as Isolate,
    token: "mine",
    clock: new SimulatedClock(),
    listener: {
      onRequest: async () => "null",
      onBeat: ({ step }) => heard.push(`beat ${step}`),
      onLog: () => undefined,
      onLine: () => undefined,
      onLastWord: ({ kind }) => heard.push(kind),
      onLateWord: (status) => heard.push(`late ${status}`),
      toFault: () => ({ code: "internal", message: "", retryable: false }),
    },
  });
  return { channel, heard, say: (message) => listener?.onMessage(message, 100) };
}

const result = { type: "result", token: "mine", output: { inline: "1" } } as unknown as FromIsolate;
const beat = {
  type: "beat",
  token: "mine",
  beat: { step: 1, status: "RUNNING" },
} as unknown as FromIsolate;

it("[WD-14] the first result before the kill counts, a second one is told as late", () => {
  const { heard, say } = conversation();
  say(result);
  say(result);
  expect(heard).toEqual(["result", "late result"]);
});

it("[WD-14] what was on its way when the task was killed is told as late, and is no result", () => {
  const { channel, heard, say } = conversation();
  channel.cut();
  say(result);
  say(beat);
  expect(heard).toEqual(["late result"]);
});

it("[GC-6] what names another task is counted and changes nothing", () => {
  const { channel, heard, say } = conversation();
  say({ ...result, token: "somebody else's" } as FromIsolate);
  say({ ...beat, token: "somebody else's" } as FromIsolate);
  expect({ heard, dropped: channel.dropped }).toEqual({ heard: [], dropped: 2 });
  // The control.
  say(beat);
  expect(heard).toEqual(["beat 1"]);
});
