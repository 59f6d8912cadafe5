import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { runProgram } from "../src/index.ts";
import { fakeIo } from "./fake-io.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bridle-doctor-cli-"));
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

const ioWith = (env: Record<string, string>) =>
  fakeIo({ env: { BRIDLE_STORE_URL: `pglite:${join(folder, "store")}`, ...env } });

describe("bridle doctor", () => {
  it("leaves with 0 when nothing must be done", async () => {
    const io = ioWith({});
    expect(await runProgram(["doctor"], io)).toBe(0);
    expect(io.outText).toMatch(/^ok {4}configuration: There is no configuration file\.$/m);
    expect(io.errText).toBe("Nothing to do.\n");
  });

  it("leaves with 1 when something must, and says what", async () => {
    const io = ioWith({ PORT: "eighty" });
    expect(await runProgram(["doctor"], io)).toBe(1);
    expect(io.outText).toMatch(/^DO {4}configuration: The environment has 1 error:$/m);
    expect(io.outText).toMatch(/^ {6}→ Correct it/m);
    expect(io.errText).toBe("One thing to do.\n");
  });

  it("prints the same as JSON for a script", async () => {
    const io = ioWith({ PORT: "eighty" });
    expect(await runProgram(["doctor", "-o", "json"], io)).toBe(1);
    expect(JSON.parse(io.outText)).toMatchObject({
      healthy: false,
      findings: expect.arrayContaining([
        expect.objectContaining({ check: "configuration", code: "config_invalid", level: "act" }),
      ]) as unknown,
    });
  });
});
