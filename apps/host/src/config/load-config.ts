import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { CodedError } from "@bridle/kernel";
import { bridleError } from "@bridle/protocol";

import { checkConfig } from "./check-config.ts";
import type { Config } from "./check-config.ts";

export interface LoadedConfig {
  readonly config: Config;
  /** Undefined when there is no file and nothing is configured. */
  readonly path: string | undefined;
}

const fileNames = [
  "bridle.config.ts",
  "bridle.config.mts",
  "bridle.config.js",
  "bridle.config.mjs",
];

/**
 * Loads `path`, or the configuration in `folder`. No file there is no error: a server needs none.
 * Rejects with `config_unreadable` (not there, does not load) or `config_invalid` (every fault listed).
 */
export async function loadConfig(folder: string, path?: string): Promise<LoadedConfig> {
  const file = path === undefined ? await findConfig(folder) : resolve(folder, path);
  if (file === undefined) return { config: checkConfig({}, "The configuration"), path: undefined };
  const module = await importConfig(file);
  if (module.default === undefined) {
    throw unreadable(file, "it has no default export; write `export default defineConfig({ … })`");
  }
  return { config: checkConfig(module.default, file), path: file };
}

async function findConfig(folder: string): Promise<string | undefined> {
  for (const name of fileNames) {
    const file = resolve(folder, name);
    // oxlint-disable-next-line no-await-in-loop -- the first that is there wins
    if (await isThere(file)) return file;
  }
  return undefined;
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function importConfig(file: string): Promise<{ readonly default?: unknown }> {
  if (!(await isThere(file))) throw unreadable(file, "there is no such file");
  try {
    if (/\.m?ts$/.test(file)) await readTypeScript();
    return (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (error) {
    if (CodedError.is(error)) throw error;
    throw unreadable(file, describe(error), error);
  }
}

let isRegistered = false;

/** Once per process: agents that the configuration imports are TypeScript too. Loaded only when needed (about 60 ms). */
async function readTypeScript(): Promise<void> {
  if (isRegistered) return;
  isRegistered = true;
  const { register } = await import("tsx/esm/api");
  register();
}

/** The sentence, and the place when the error knows it; never a stack. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const places = (error.stack ?? "").match(/file:\/\/[^\s)]+?:\d+(?::\d+)?/g) ?? [];
  const place = places.find((text) => !text.includes("/node_modules/"));
  const sentence = error.message.split("\n").slice(0, 3).join(" ").trim();
  return place === undefined || sentence.includes(place) ? sentence : `${sentence} (${place})`;
}

function unreadable(file: string, reason: string, cause?: unknown): Error {
  return bridleError("config_unreadable", {
    message: `The configuration ${file} cannot be loaded: ${reason}`,
    cause,
  });
}
