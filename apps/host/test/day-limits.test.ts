import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SimulatedClock } from "@bridle/kernel/testing";
import { expect, it, onTestFinished } from "vitest";

import { fileAuthenticator } from "../src/access/file-authenticator.ts";
import { createKey, readKeys } from "../src/access/index.ts";
import { checkConfig } from "../src/index.ts";

it("[BU-3] a day's limit is checked when it is loaded, by its name and with what was written", () => {
  expect(checkConfig({ budget: { perDay: "unlimited" } }, "x").budget).toEqual({
    perDay: "unlimited",
  });
  for (const perDay of [-3, "none", null]) {
    expect(() => checkConfig({ budget: { perDay } }, "x")).toThrow(
      `budget.perDay: Expected { maxUsd, maxTokens, maxCalls }, or "unlimited". It is ${JSON.stringify(perDay)}.`,
    );
  }
});

it("[BU-5] a key's limit is its principal's; one that is none lets nobody in, and says which", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "bridle-day-"));
  onTestFinished(async () => rm(dataDir, { recursive: true, force: true }));
  const { key } = await createKey(dataDir, {
    name: "a",
    scopes: ["submit"],
    perDay: { maxUsd: 5 },
    at: 1,
  });
  const clock = new SimulatedClock();
  const door = fileAuthenticator({ dataDir, installToken: "t", clock });
  expect(await door.authenticate(key)).toMatchObject({ perDay: { nanoUsd: 5_000_000_000 } });
  const file = join(dataDir, "keys.json");
  await writeFile(file, (await readFile(file, "utf8")).replace('"maxUsd": 5', '"maxUsd": -5'));
  await expect(readKeys(dataDir)).rejects.toThrow(/perDay of the key .*: maxUsd is -5; write/);
});
