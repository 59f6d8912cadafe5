/** What `docs/isolation.md` says of theft, compared row by row and level by level with what a thief came by in a real installation. */
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { spawnBridle, whenListening } from "../system/bridle-process.ts";
import type { Spawned } from "../system/bridle-process.ts";
import { rowsUnder } from "./isolation-page.ts";

const config = fileURLToPath(new URL("fixtures/bridle.config.js", import.meta.url));

/** The rows of the page, and the theft that each is about. */
const thefts: Readonly<Record<string, string>> = {
  "a key in its own environment": "ownEnvironment",
  "the store's address in its own environment": "ownStoreAddress",
  "a key in the environment that the worker was started with, through `/proc`":
    "workersEnvironment",
  "the same, of a key that the worker has from a file (`…_FILE`)": "fileKeyInEnvironment",
  "the file with that key": "fileOfKey",
  "the worker's memory, through `/proc`": "memory",
  "values of `env()` in the configuration": "configuration",
  "the files of an embedded store": "storeFiles",
  "the API without a token": "apiWithoutToken",
  "the API with the install token, read from its file": "apiWithToken",
};

const levels = ["process", "thread", "inline"] as const;
type Loot = Readonly<Record<string, unknown>>;

let folder: string;
let installation: Spawned;
let loot: Readonly<Record<string, Loot>> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bridle-theft-"));
  const dataFolder = join(folder, ".bridle");
  const keyFile = join(folder, "key");
  await mkdir(dataFolder, { mode: 0o700 });
  await writeFile(keyFile, "canary-from-file\n", { mode: 0o600 });
  const env = {
    CANARY_KEY: "canary-in-environment",
    CANARY_FILE_KEY_FILE: keyFile,
    BRIDLE_STORE_URL: "pglite:./.bridle",
  };
  installation = spawnBridle({
    cwd: folder,
    env,
    args: ["dev", "--config", config, "--port", "0"],
  });
  const { url, client } = await whenListening(installation, dataFolder);
  const scene = { worker: installation.child.pid, url, config, dataFolder, keyFile };
  const { runId } = await client.submit(
    {
      name: "thieves",
      tasks: levels.map((level) => ({ id: level, agent: `thief-${level}`, input: scene })),
      output: Object.fromEntries(
        levels.map((level) => [level, `\${{ tasks["${level}"].output }}`]),
      ),
    },
    {},
    { waitMs: 50_000 },
  );
  const { status, output } = await client.get(runId);
  expect(status).toBe("COMPLETED");
  // Written by the workflow above.
  loot = output as Readonly<Record<string, Loot>>;
});

afterAll(async () => {
  installation.child.kill("SIGTERM");
  await installation.exited;
  await rm(folder, { recursive: true });
});

const rows = rowsUnder("Theft");

it("the page has every theft, and no other", () => {
  expect(rows.map(({ what }) => what)).toEqual(Object.keys(thefts));
});

/** A theft that failed of anything but rights has shown nothing. */
function seen(found: unknown): string {
  if (found === true) return "gets it";
  return found === false || found === "EACCES" || found === "EPERM"
    ? "does not get it"
    : String(found);
}

/** Yama lets nobody but root and ancestors look into a process. */
function looksIntoOthers(): boolean {
  try {
    return (
      readFileSync("/proc/sys/kernel/yama/ptrace_scope", "utf8").trim() === "0" ||
      process.getuid?.() === 0
    );
  } catch {
    return true;
  }
}

describe.each(levels)("in isolation %s", (level) => {
  it.each(rows.map((row) => [row.what, row[level]] as const))(
    "[X4] [B191] %s: %s",
    (what, said) => {
      const theft = thefts[what] ?? "";
      const isRefusedHere = level === "process" && theft === "memory" && !looksIntoOthers();
      expect(seen(loot[level]?.[theft])).toBe(isRefusedHere ? "does not get it" : said);
    },
  );
});
