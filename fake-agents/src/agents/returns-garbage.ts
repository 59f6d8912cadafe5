import { writeSync } from "node:fs";

import { defineAgent } from "@bridle/agent";

export interface ReturnsGarbageInput {
  readonly how?: "circular" | "bigint" | "function" | "huge" | "no-frame" | "huge-frame";
}

/** Where an isolate's messages go out: an agent that means harm, or has a bug in a native module, can write there too. */
const channelDescriptor = 3;

/** Answers with what is no answer: values that are no JSON, too much of it, or bytes that are no message at all. */
export const returnsGarbage = defineAgent<ReturnsGarbageInput>({
  name: "returns-garbage",
  module: import.meta.url,
  run(_ctx, { how = "circular" }) {
    if (how === "bigint") return 1n;
    if (how === "function") return () => undefined;
    if (how === "huge") return "x".repeat(32 * 1024 * 1024);
    if (how === "no-frame" || how === "huge-frame") return writeGarbage(how);
    const circle: { self?: unknown } = {};
    circle.self = circle;
    return circle;
  },
});

function writeGarbage(how: "no-frame" | "huge-frame"): Promise<never> {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(how === "huge-frame" ? 0xffff_ffff : 9);
  writeSync(channelDescriptor, Buffer.concat([length, Buffer.from("not JSON!")]));
  return new Promise<never>(() => undefined);
}
