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
 * `codeLoaded`: what a TypeScript file waits for. Its loader sends every later import through a thread of its own and looks
 * for source maps: loaded behind it, the program's own code took three times as long (measured).
 */
export async function loadConfig(
  folder: string,
  path?: string,
  codeLoaded?: Promise<unknown>,
): Promise<LoadedConfig> {
  const file = path === undefined ? await findConfig(folder) : resolve(folder, path);
  if (file === undefined) return { config: checkConfig({}, "The configuration"), path: undefined };
  const module = await importConfig(file, codeLoaded);
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

async function importConfig(
  file: string,
  codeLoaded: Promise<unknown> | undefined,
): Promise<{ readonly default?: unknown }> {
  if (!(await isThere(file))) throw unreadable(file, "there is no such file");
  try {
    if (/\.m?ts$/.test(file)) {
      await codeLoaded;
      await readTypeScript();
    }
    const module = await importWithin(file);
    return hasOwnDefault(module.default) ? module.default : module;
  } catch (error) {
    if (CodedError.is(error)) throw error;
    throw unreadable(file, describe(error), error);
  }
}

/** Longer than any configuration takes that does not wait for something. */
const longestLoadMs = 60_000;

/** A configuration is the user's program: it may end the process, or wait for what never comes. Neither may look like success. */
async function importWithin(file: string): Promise<{ readonly default?: unknown }> {
  const onExit = (): void => {
    process.exitCode = 2;
    process.stderr.write(
      `The configuration ${file} cannot be loaded: it ends the process, or awaits what never comes.\n`,
    );
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const seconds = longestLoadMs / 1000;
    const tooLong = unreadable(file, `it was still loading after ${seconds} s`);
    // Unreferenced: where nothing else is awaited the process ends at once, and says so.
    timer = setTimeout(() => reject(tooLong), longestLoadMs).unref();
  });
  process.once("exit", onExit);
  try {
    const loading = import(pathToFileURL(file).href) as Promise<{ default?: unknown }>;
    return await Promise.race([loading, late]);
  } finally {
    process.removeListener("exit", onExit);
    clearTimeout(timer);
  }
}

/** A TypeScript file that was loaded as CommonJS has its default export one level deeper. */
function hasOwnDefault(value: unknown): value is { readonly default?: unknown } {
  return typeof value === "object" && value !== null && "default" in value;
}

let isRegistered = false;

/**
 * Once per process: agents that the configuration imports are TypeScript too. Loaded only when needed (about 60 ms). Both
 * loaders, because a `.ts` file beside no package.json of type module goes through the other one (measured: with the first
 * alone it fails with a riddle about require cycles).
 */
async function readTypeScript(): Promise<void> {
  if (isRegistered) return;
  isRegistered = true;
  const [commonJs, modules] = await Promise.all([import("tsx/cjs/api"), import("tsx/esm/api")]);
  commonJs.register();
  modules.register();
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
