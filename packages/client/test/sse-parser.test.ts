import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { SseParser } from "../src/sse-parser.ts";

function parseAll(slices: readonly string[]) {
  const parser = new SseParser();
  return slices.flatMap((slice) => parser.push(slice));
}

describe("SseParser", () => {
  it("reads type, number and data of a message", () => {
    expect(parseAll(["id: 7\nevent: task.started\ndata: {}\n\n"])).toEqual([
      { id: "7", event: "task.started", data: "{}" },
    ]);
  });

  it("gives a message without a number no number, even after one that had one", () => {
    expect(parseAll(["id: 7\ndata: a\n\n", "event: ping\ndata: b\n\n"])).toEqual([
      { id: "7", event: "message", data: "a" },
      { event: "ping", data: "b" },
    ]);
  });

  it("joins several data lines and skips comments and messages without data", () => {
    expect(parseAll([": hello\n\nevent: nothing\n\ndata: a\ndata: b\n\n"])).toEqual([
      { event: "message", data: "a\nb" },
    ]);
  });

  it("reads the same messages however the bytes are sliced and whichever line ends are used", () => {
    const text = "\uFEFFid: 1\nevent: a\ndata: x\n\nid: 2\nevent: b\ndata: y\ndata: z\n\n";
    fc.assert(
      fc.property(
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.nat(70), { maxLength: 8 }),
        (lineEnd, cuts) => {
          const sent = `${text.replaceAll("\n", lineEnd)}: end${lineEnd}`;
          const edges = [0, ...cuts.toSorted((a, b) => a - b), sent.length];
          const slices = edges.slice(1).map((edge, index) => sent.slice(edges[index], edge));
          expect(parseAll(slices)).toEqual([
            { id: "1", event: "a", data: "x" },
            { id: "2", event: "b", data: "y\nz" },
          ]);
        },
      ),
    );
  });

  it("[B034] gives a message as soon as its blank line has ended, by a lone CR too", () => {
    const parser = new SseParser();
    expect(parser.push("data: a\r\r")).toEqual([{ event: "message", data: "a" }]);
    // Which was the half of a CRLF, and ends nothing else.
    expect(parser.push("\ndata: b\r")).toEqual([]);
    expect(parser.push("\n\r")).toEqual([{ event: "message", data: "b" }]);
    expect(parser.push("\n")).toEqual([]);
  });

  it("refuses a line without end instead of keeping it", () => {
    const parser = new SseParser();
    const megabyte = "x".repeat(2 ** 20);
    expect(() => {
      for (let count = 0; count < 40; count++) parser.push(megabyte);
    }).toThrow(/longer than/);
  });
});
