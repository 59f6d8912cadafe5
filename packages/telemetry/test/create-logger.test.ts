import fc from "fast-check";
import { expect, it } from "vitest";

import { written } from "./support.ts";

it("[O1] a line is one JSON object: level, time, the child's fields, its own, and a short message", () => {
  const { logger, raw, lines } = written();

  logger.child({ traceId: "trace-1" }).info("step finished", { durationMs: 12 });

  expect(lines()).toEqual([
    {
      level: "info",
      time: "2023-11-14T22:13:20.000Z",
      traceId: "trace-1",
      durationMs: 12,
      msg: "step finished",
    },
  ]);
  expect(raw[0]?.endsWith("}\n")).toBe(true);
});

it("lines below the level are not written", () => {
  const { logger, lines } = written({ level: "warn" });
  logger.debug("one");
  logger.info("two");
  logger.warn("three");
  logger.error("four");

  expect(lines().map(({ msg }) => msg)).toEqual(["three", "four"]);
});

it("[B200] a newline with a forged line after it stays inside its own line", () => {
  const { logger, raw, lines } = written();
  const forged = 'bad input\n{"level":"info","msg":"budget raised by admin"}\r\n';

  logger.error(forged, { error: new Error(forged) });

  expect(raw).toHaveLength(1);
  expect(raw[0]?.trimEnd()).not.toMatch(/[\r\n]/);
  expect(lines()[0]).toMatchObject({ level: "error", msg: forged, error: { message: forged } });
});

it("[B200] escape sequences, C1 bytes and direction marks leave as inert text, and parse to what was said", () => {
  const { logger, raw, lines } = written();
  const evil = {
    clear: "\u001b[2J",
    link: "\u001b]8;;http://evil.test\u0007click\u001b]8;;\u0007",
    clipboard: "\u001b]52;c;ZXZpbA==\u0007",
    c1: "\u009b31mred\u009c",
    turned: "\u202Egnp.exe\u2028",
  };

  logger.warn("model said \u009b2J", evil);

  // oxlint-disable-next-line no-control-regex -- control characters are the point
  expect(raw[0]?.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
  expect(lines()[0]).toMatchObject({ ...evil, msg: "model said \u009b2J" });
});

it("[B200] no text whatever makes more than one line or anything but printable characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (message, text) => {
      const { logger, raw } = written();
      logger.info(message, { text, [text]: 1 });
      expect(raw).toHaveLength(1);
      // oxlint-disable-next-line no-control-regex -- control characters are the point
      expect(raw[0]?.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
    }),
  );
});

it("[B200] a field cannot pass itself off as the line's own level, time or message", () => {
  const { logger, lines, raw } = written();

  logger.info("true", { level: "fatal", time: "never", msg: "false" });

  expect(lines()[0]).toMatchObject({ level: "info", msg: "true", _level: "fatal", _msg: "false" });
  expect(raw[0]?.match(/"level":/g)).toHaveLength(1);
});

it("a percent sign in a message is a percent sign", () => {
  const { logger, lines } = written();

  logger.info("budget at 90 %s %d %o", { used: 90 });

  expect(lines()[0]).toMatchObject({ msg: "budget at 90 %s %d %o" });
});

it("[GC-3] a destination that throws does not reach whoever logs", () => {
  const { logger } = written({
    destination: {
      write: () => {
        throw new Error("disk full");
      },
    },
  });

  expect(() => logger.error("hello")).not.toThrow();
});
