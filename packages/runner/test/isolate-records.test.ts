import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it } from "vitest";

import { IsolateRecords } from "../src/isolates/isolate-records.ts";

const isolate = { environmentEntry: "BRIDLE_TASK_TOKEN=t", folder: "/nowhere" };

it("an isolate that ends after the state folder is gone, or full, does not take the worker with it", () => {
  const stateFolder = mkdtempSync(join(tmpdir(), "bridle-records-"));
  const records = new IsolateRecords({ stateFolder, bootId: "boot_1" });
  records.add(process.pid, isolate);
  // The control: there was a list to be written.
  expect(existsSync(join(stateFolder, "isolates-boot_1.json"))).toBe(true);

  rmSync(stateFolder, { recursive: true });

  expect(() => records.remove(process.pid)).not.toThrow();
  // One that begins there is told: nobody could end it after a crash.
  expect(() => records.add(process.pid, isolate)).toThrow("ENOENT");
});
