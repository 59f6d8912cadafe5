import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { createClient } from "@bridle/client";
import type { Client } from "@bridle/client";
import { systemClock, systemRandom } from "@bridle/kernel/system";
import { onTestFinished } from "vitest";

import { until } from "../support/until.ts";

const binary = fileURLToPath(new URL("../../apps/cli/dist/main.js", import.meta.url));
export const fixtureConfig = fileURLToPath(new URL("fixtures/bridle.config.ts", import.meta.url));

export interface Spawned {
  readonly child: ChildProcess;
  out(): string;
  err(): string;
  /** The exit code; -1 when a signal ended it. */
  readonly exited: Promise<number>;
}

export interface SpawnOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/** The real binary, as a user starts it. Its environment is what the test gives, and a path. */
export function spawnBridle({ cwd, env = {}, args }: SpawnOptions): Spawned {
  const child = spawn(process.execPath, [binary, ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  return {
    child,
    out: () => out,
    err: () => err,
    exited: new Promise((resolve) => child.once("close", (code) => resolve(code ?? -1))),
  };
}

/** Runs a command to its end. */
export async function bridle(
  options: SpawnOptions,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const spawned = spawnBridle(options);
  const code = await spawned.exited;
  return { code, out: spawned.out(), err: spawned.err() };
}

export interface Installation extends Spawned {
  readonly url: string;
  readonly token: string;
  readonly client: Client;
  /** Stops it as an operator does. */
  stop(): Promise<number>;
}

/** `bridle dev` on `<folder>/.bridle`, listening. */
export async function startInstallation(
  folder: string,
  env: Readonly<Record<string, string>> = {},
  port = "0",
): Promise<Installation> {
  const args = ["dev", "--config", fixtureConfig, "--port", port];
  const spawned = spawnBridle({ cwd: folder, env, args });
  const reached = await whenListening(spawned, join(folder, ".bridle"));
  return { ...spawned, ...reached, stop: async () => terminate(spawned) };
}

/** Waits until a server listens whose data is in that folder. Rejects with what it complained of when it ends instead. */
export async function whenListening(
  server: Spawned,
  dataFolder: string,
): Promise<Pick<Installation, "url" | "token" | "client">> {
  let code: number | undefined;
  void server.exited.then((exitCode) => (code = exitCode));
  await until(() => {
    if (code !== undefined) throw new Error(`bridle ended with ${code}: ${server.err()}`);
    return server.out().includes("listening on");
  });
  const url = /http:\/\/\S+/.exec(server.out())?.[0] ?? "";
  const token = (await readFile(join(dataFolder, "token"), "utf8")).trim();
  const client = createClient({
    url,
    apiKey: token,
    fetch,
    clock: systemClock,
    random: systemRandom,
  });
  return { url, token, client };
}

/** Stops it as an operator does. */
async function terminate(spawned: Spawned): Promise<number> {
  spawned.child.kill("SIGTERM");
  return spawned.exited;
}

/** The same, but ended with its test at the latest. */
export function spawnForTest(options: SpawnOptions): Spawned {
  const spawned = spawnBridle(options);
  onTestFinished(async () => void (await terminate(spawned)));
  return spawned;
}
