import { writeSync } from "node:fs";
import { setInterval } from "node:timers";

import { defineAgent } from "@bridle/agent";

/** Where an isolate's messages go out. */
const channelDescriptor = 3;

export interface BeatsForAnotherInput {
  /** What it claims to speak for. */
  readonly token?: string;
  readonly beatMs?: number;
}

/** Sends beats in another task's name and none in its own: whose beat it is, the channel says and not the message (GC-6). */
export const beatsForAnother = defineAgent<BeatsForAnotherInput, never>({
  name: "beats-for-another",
  module: import.meta.url,
  run(_ctx, { token = "tok_of_somebody_else", beatMs = 100 }) {
    const beat = { status: "RUNNING", step: 1_000_000 };
    const body = Buffer.from(JSON.stringify({ type: "beat", token, beat }));
    const frame = Buffer.alloc(4 + body.length);
    frame.writeUInt32BE(body.length);
    body.copy(frame, 4);
    setInterval(() => writeSync(channelDescriptor, frame), beatMs);
    return new Promise<never>(() => undefined);
  },
});
