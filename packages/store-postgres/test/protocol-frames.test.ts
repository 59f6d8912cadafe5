import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { fatalError } from "../src/pglite/fatal-frames.ts";
import { ClientStream, joinBytes, splitServerFrames } from "../src/pglite/protocol-frames.ts";
import { fatalReply } from "../src/pglite/server-frames.ts";

function frame(type: string, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  const header = Buffer.alloc(5);
  header.write(type, 0, "latin1");
  header.writeInt32BE(bytes.length + 4, 1);
  return Buffer.concat([header, bytes]);
}

function startup(): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeInt32BE(8, 0);
  bytes.writeInt32BE(196_608, 4);
  return bytes;
}

const statement = (sql: string): Buffer =>
  Buffer.concat([
    frame("P", `\0${sql}\0\0\0`),
    frame("B", "\0\0\0\0\0\0\0\0"),
    frame("E", "\0\0\0\0\0"),
    frame("S", ""),
  ]);

/** Feeds the bytes cut at the given places. */
function feed(bytes: Buffer, cuts: readonly number[]) {
  const stream = new ClientStream();
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted(
    (left, right) => left - right,
  );
  return places.flatMap((from, index) => stream.take(bytes.subarray(from, places[index + 1])));
}

describe("a client's bytes", () => {
  it("become the same units wherever they are cut", () => {
    const one = statement("select 1");
    const two = frame("Q", "begin\0");
    const all = Buffer.concat([startup(), one, two, frame("X", "")]);
    fc.assert(
      fc.property(fc.array(fc.nat()), (cuts) => {
        const units = feed(all, cuts);
        expect(units.map(({ type }) => type)).toEqual(["startup", "work", "work", "terminate"]);
        const work = units.flatMap((unit) =>
          unit.type === "work" ? [Buffer.from(unit.bytes)] : [],
        );
        expect(work).toEqual([one, two]);
      }),
    );
  });

  it("are refused when the client wants answers before its Sync", () => {
    const units = feed(
      Buffer.concat([startup(), frame("P", "\0select 1\0\0\0"), frame("H", "")]),
      [],
    );
    expect(units.at(-1)).toEqual({ type: "unsupported" });
  });

  it.each([
    ["listen a", true],
    ["-- why\nLISTEN a", true],
    ["select 'listen to me'", false],
    ["unlisten a", false],
  ])("%j asks for notifications: %s", (sql, listens) => {
    const simple = feed(Buffer.concat([startup(), frame("Q", `${sql}\0`)]), []);
    const extended = feed(Buffer.concat([startup(), statement(sql)]), []);
    expect(simple.at(-1)).toMatchObject({ type: "work", listens });
    expect(extended.at(-1)).toMatchObject({ type: "work", listens });
  });
});

describe("a session's bytes", () => {
  it("are split into the reply and the notifications, nothing lost", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom("A", "D", "Z"), fc.string())), (parts) => {
        const frames = parts.map(([type, body]) => ({ type, bytes: frame(type, body) }));
        const { reply, notifications } = splitServerFrames(
          joinBytes(frames.map(({ bytes }) => bytes)),
        );
        const of = (wanted: boolean): Buffer =>
          Buffer.concat(
            frames.filter(({ type }) => (type === "A") === wanted).map(({ bytes }) => bytes),
          );
        expect(Buffer.from(reply)).toEqual(of(false));
        expect(Buffer.from(notifications ?? [])).toEqual(of(true));
      }),
    );
  });
});

describe("a fatal error", () => {
  const panic = frame("E", "SPANIC\0VPANIC\0C53100\0Mdisk full\0\0");

  it("is found after other frames, with its message", () => {
    expect(fatalError([frame("Z", "I"), panic])).toBe("disk full");
    expect(fatalError([fatalReply("57P01", "gone")])).toBe("gone");
  });

  it("is not seen in a user's data, nor in an ordinary error", () => {
    expect(fatalError([frame("D", "x\0SPANIC\0Mno\0")])).toBeUndefined();
    expect(fatalError([frame("E", "SERROR\0Mordinary\0\0")])).toBeUndefined();
  });
});
