import { describe, expect, it, vi } from "vitest";

import { sizeOr, systemIo } from "../src/system-io.ts";

describe("a working folder that was deleted", () => {
  it("is one sentence, said when the folder is needed", async () => {
    using gone = vi.spyOn(process, "cwd").mockImplementation(() => {
      throw Object.assign(new Error("ENOENT: uv_cwd"), { code: "ENOENT" });
    });
    const io = systemIo();

    expect(() => io.cwd).toThrow("The working folder does not exist any more");
    await expect(io.readText("workflow.yaml")).rejects.toMatchObject({ code: "request_invalid" });
    expect(gone).toHaveBeenCalled();
  });
});

describe("a terminal's size", () => {
  it("is the usual one where the terminal says none, or nought", () => {
    expect([undefined, 0, 132].map((columns) => sizeOr(100, columns))).toEqual([100, 100, 132]);
  });
});
