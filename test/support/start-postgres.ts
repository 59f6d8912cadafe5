import { execFile, spawn, type ChildProcess } from "node:child_process";
import { chown, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { createPostgresDatabase } from "@bridle/store-postgres";

import { until } from "./until.ts";

const run = promisify(execFile);

export interface PostgresServer {
  readonly port: number;
  /** A new, empty database. */
  createDatabase(): Promise<string>;
  /** `immediate`: no checkpoint, as in a crash. */
  stop(mode?: "fast" | "immediate"): Promise<void>;
  /** Starts it again on the same folder and port. */
  start(): Promise<void>;
  /** Stops it and removes its folder. */
  remove(): Promise<void>;
}

/** Where the server's programs are; undefined when Postgres is not installed here. */
export async function findPostgres(): Promise<string | undefined> {
  const installed = await readdir("/usr/lib/postgresql").catch(() => []);
  const versions = installed.toSorted((left, right) => Number(right) - Number(left));
  const candidates = [
    ...versions.map((version) => `/usr/lib/postgresql/${version}/bin`),
    "/usr/local/bin",
    "/usr/bin",
    "/opt/homebrew/bin",
  ];
  for (const folder of candidates) {
    // oxlint-disable-next-line no-await-in-loop -- the first that works
    const names: string[] = await readdir(folder).catch(() => []);
    if (names.includes("initdb") && names.includes("postgres")) return folder;
  }
  return undefined;
}

/**
 * A server of this test's own: a fresh folder, a free port, loopback only. Postgres refuses to run as root, so root
 * hands it to `nobody`.
 */
export async function startPostgres(bin: string): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), "bridle-postgres-"));
  const user = await serverUser();
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const options = { ...user, cwd: folder, env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" } };
  await run(
    join(bin, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"],
    options,
  );
  const port = await freePort();
  const url = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;
  let server: ChildProcess | undefined;
  let count = 0;

  async function start(): Promise<void> {
    const settings = [
      "listen_addresses=127.0.0.1",
      "max_connections=200",
      "unix_socket_directories=",
    ];
    server = spawn(
      join(bin, "postgres"),
      ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
      { ...options, stdio: "ignore" },
    );
    await until(async () => {
      if (server?.exitCode !== null) throw new Error(`Postgres ended with ${server?.exitCode}.`);
      return canConnect(url("postgres"));
    });
  }

  async function stop(mode: "fast" | "immediate" = "fast"): Promise<void> {
    const process = server;
    server = undefined;
    if (process === undefined) return;
    const exited = new Promise((resolve) => process.once("exit", resolve));
    process.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    await exited;
  }

  await start();
  return {
    port,
    createDatabase: async () => {
      const name = `test_${++count}`;
      const maintenance = await createPostgresDatabase({ url: url("postgres") });
      await maintenance.pool.query(`create database ${name}`);
      await maintenance.close();
      return url(name);
    },
    start,
    stop,
    remove: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function serverUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const { stdout } = await run("id", ["-u", "nobody"]);
  const { stdout: group } = await run("id", ["-g", "nobody"]);
  return { uid: Number(stdout), gid: Number(group) };
}

async function canConnect(url: string): Promise<boolean> {
  try {
    const database = await createPostgresDatabase({ url });
    await database.close();
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      // Listening on a port of TCP gives an object; a string would be a pipe's name.
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
