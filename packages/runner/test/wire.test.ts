import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SimulatedClock } from "@bridle/kernel/testing";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { Coalescer } from "../src/wire/coalescer.ts";
import { encodeFrame, FrameDecoder, FrameFault, maxFrameBytes } from "../src/wire/frame.ts";
import { PayloadFault, putPayload, takePayload } from "../src/wire/payload.ts";

describe("frames", () => {
  it("come out whole and in order, however the stream is cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (values, cuts) => {
          const messages = values.map((value) => ({ value }));
          const bytes = Buffer.concat(messages.map((message) => encodeFrame(message)));
          const decoder = new FrameDecoder();
          const seen: unknown[] = [];
          for (let at = 0, turn = 0; at < bytes.length; turn++) {
            const length = cuts[turn % cuts.length] ?? 1;
            for (const { message } of decoder.push(bytes.subarray(at, at + length))) {
              seen.push(message);
            }
            at += length;
          }
          // As JSON: -0 and 0 are one value there.
          expect(JSON.stringify(seen)).toBe(JSON.stringify(messages));
        },
      ),
    );
  });

  it("a length beyond 1 MiB is refused by its four bytes alone, before any of the body is kept", () => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(maxFrameBytes + 1, 0);
    expect(() => new FrameDecoder().push(head)).toThrow(FrameFault);
  });

  it.each([
    ["an empty frame", Buffer.from([0, 0, 0, 0])],
    ["four gigabytes", Buffer.from([255, 255, 255, 255])],
    ["no JSON", Buffer.from([0, 0, 0, 2, 0x7b, 0x78])],
  ])("%s is a fault, and nothing after it is read", (_, bytes) => {
    const decoder = new FrameDecoder();
    expect(() => decoder.push(bytes)).toThrow(FrameFault);
    expect(() => decoder.push(encodeFrame({ fine: true }))).toThrow(FrameFault);
  });

  it("a message above the limit is refused where it is sent", () => {
    expect(() => encodeFrame("x".repeat(maxFrameBytes))).toThrow(RangeError);
  });
});

describe("payloads", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "bridle-test-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const limits = () => ({ folder, maxBytes: 1_000_000 });

  it("small ones stay in the frame, large ones go by a file that is read once and deleted", () => {
    const text = JSON.stringify("y".repeat(200_000));
    expect(putPayload('"small"', folder, "a")).toEqual({ text: '"small"' });
    const large = putPayload(text, folder, "b");
    expect(large).toEqual({ file: "b" });
    expect(takePayload(large, limits())).toBe(text);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("a file above the limit is refused unread, and removed", () => {
    writeFileSync(join(folder, "big"), "x".repeat(2000));
    expect(() => takePayload({ file: "big" }, { folder, maxBytes: 1000 })).toThrow(
      expect.objectContaining({ isTooLarge: true }) as Error,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it("a link does not lead out of the folder", () => {
    symlinkSync("/etc/passwd", join(folder, "link"));
    expect(() => takePayload({ file: "link" }, limits())).toThrow(PayloadFault);
  });

  it.each(["../secret", "/etc/passwd", "a/b", "", "x".repeat(65)])(
    "the name %j names no exchange file",
    (file) => {
      expect(() => takePayload({ file }, limits())).toThrow(PayloadFault);
    },
  );

  it("a file that is not there is a fault, not a crash", () => {
    expect(() => takePayload({ file: "gone" }, limits())).toThrow(PayloadFault);
  });
});

describe("coalescing", () => {
  it("passes the first at once, then the newest once an interval, and leaves no timer when idle", () => {
    const clock = new SimulatedClock();
    const passed: number[] = [];
    const beats = new Coalescer<number>(clock, 200, (value) => passed.push(value));
    for (let beat = 0; beat < 100; beat++) {
      beats.push(beat);
      clock.advance(10);
    }
    clock.advance(1000);
    expect(passed).toEqual([0, 19, 39, 59, 79, 99]);
    expect(clock.pendingTimers).toBe(0);
  });
});
