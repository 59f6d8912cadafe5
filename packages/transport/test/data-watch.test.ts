import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { DataWatch } from "../src/data-watch.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("data in an event stream", () => {
  it.each([
    'data: {"a":1}\n\n',
    "data:x",
    "data: x\r\n\r\n",
    "data: x\r\r",
    ": ping\n\ndata: x\n\n",
    "event: message\ndata: x\n\n",
    "event: ping\ndata: {}\n\ndata: x\n\n",
  ])("[L16] is seen in %j", (text) => {
    expect(new DataWatch().sees(bytes(text))).toBe(true);
  });

  it.each([
    ": ping\n\n",
    "\n\n\n",
    "data:\n\n",
    "event: ping\ndata: {}\n\n",
    "event: ping\r\ndata: {}\r\n\r\n",
    "id: 7\nretry: 10\n\n",
    ": data: x\n\n",
  ])("[L16] is not seen in %j", (text) => {
    expect(new DataWatch().sees(bytes(text))).toBe(false);
  });

  it("is seen or not however the stream is cut", () => {
    const lines = [": ping\n\n", "event: ping\ndata: {}\n\n", "data: x\n\n", "id: 1\r\n\r\n"];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...lines)),
        fc.integer({ min: 1, max: 9 }),
        (all, size) => {
          const stream = bytes(all.join(""));
          const watch = new DataWatch();
          let isSeen = false;
          for (let at = 0; at < stream.length; at += size) {
            isSeen = watch.sees(stream.subarray(at, at + size)) || isSeen;
          }
          expect(isSeen).toBe(all.includes("data: x\n\n"));
        },
      ),
    );
  });
});
