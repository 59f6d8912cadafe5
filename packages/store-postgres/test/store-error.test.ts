import { bridleError } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { storeError } from "../src/store-error.ts";

const failure = (code: string | undefined, message = "broken"): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

describe("an error of the database", () => {
  it.each([
    ["53100", "store_full"],
    ["ENOSPC", "store_full"],
    ["EROFS", "store_unwritable"],
    ["ENOTDIR", "store_unwritable"],
    ["25006", "store_unwritable"],
    ["ECONNREFUSED", "store_unavailable"],
    ["57P01", "store_unavailable"],
    ["08006", "store_unavailable"],
    ["53300", "store_unavailable"],
    ["28P01", "store_unavailable"],
    ["XX001", "store_corrupt"],
    ["42601", "internal"],
  ])("with code %s is %s", (code, expected) => {
    expect(storeError(failure(code)).code).toBe(expected);
  });

  it.each([
    "Connection terminated unexpectedly",
    "timeout exceeded when trying to connect",
    "Cannot use a pool after calling end on the pool",
  ])("without a code, %j, is store_unavailable", (message) => {
    expect(storeError(failure(undefined, message)).code).toBe("store_unavailable");
  });

  it("of several refused addresses speaks with the first", () => {
    const error = storeError(new AggregateError([failure("ECONNREFUSED", "refused 127.0.0.1")]));
    expect(error).toMatchObject({ code: "store_unavailable", message: "refused 127.0.0.1" });
  });

  it("keeps the code it has", () => {
    const error = bridleError("store_locked");
    expect(storeError(error)).toBe(error);
  });
});
