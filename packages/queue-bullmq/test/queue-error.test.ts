import { describe, expect, it } from "vitest";

import { queueError } from "../src/queue-error.ts";

describe("a failed call of the queue's database", () => {
  it.each([
    Object.assign(new Error("disk full"), { code: "53100" }),
    Object.assign(new Error("write"), { code: "ENOSPC" }),
    new Error('could not extend file "base/5/16696": No space left on device'),
  ])("says that the disk is full: %s", (cause) => {
    expect(queueError(cause)).toMatchObject({ code: "store_full", retryable: true });
    expect(queueError(cause).message).toContain(cause.message);
  });

  it.each([new Error("Connection terminated"), "closed", undefined])(
    "else means that it does not answer: %s",
    (cause) => {
      expect(queueError(cause)).toMatchObject({ code: "store_unavailable", retryable: true });
    },
  );
});
