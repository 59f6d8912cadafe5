import { openInstallation, readEnvironment } from "@bridle/host";
import type { Installation, PartName } from "@bridle/host";

import type { Io } from "../io.ts";
import { tuneEngine } from "../tune-engine.ts";
import { serveUntilStopped } from "./serve-until-stopped.ts";

export interface ServeOptions {
  readonly config?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
}

export const allParts: readonly PartName[] = ["server", "scheduler", "worker"];

/** Everything in one process: the embedded size. */
export async function devCommand(options: ServeOptions, io: Io): Promise<number> {
  // A developer reads this terminal: only what is wrong, unless LOG_LEVEL asks for more.
  const quiet = { ...io, env: { LOG_LEVEL: "warn", ...io.env } };
  return serve(allParts, await open(options, quiet, allParts), io);
}

/** API and scheduler. Of several, one schedules at a time. */
export async function serverCommand(options: ServeOptions, io: Io): Promise<number> {
  const names: readonly PartName[] = ["server", "scheduler"];
  return serve(names, await open(options, io, names), io);
}

async function serve(
  names: readonly PartName[],
  installation: Installation,
  io: Io,
): Promise<number> {
  const starting = installation.start(names, (url) => announce(installation, url, io));
  return serveUntilStopped(starting, io);
}

export async function open(
  options: ServeOptions,
  io: Io,
  preload: readonly PartName[],
): Promise<Installation> {
  tuneEngine();
  const environment = readEnvironment({
    ...io.env,
    ...(options.host === undefined ? {} : { BRIDLE_HOST: options.host }),
    ...(options.port === undefined ? {} : { PORT: options.port }),
  });
  return openInstallation({
    environment,
    folder: io.cwd,
    configPath: options.config,
    env: io.env,
    preload,
  });
}

function announce(installation: Installation, url: string, io: Io): void {
  const { loaded, environment, durability, usesKeys } = installation;
  const agents = loaded.config.agents.map(({ name }) => name);
  io.out(`Bridle is listening on ${url}\n`);
  io.err(
    usesKeys
      ? "  access  API keys (bridle keys list)\n"
      : `  access  this machine only, with the install token in ${environment.dataDir}/token\n`,
  );
  io.err(`  store   ${durability}\n`);
  io.err(`  agents  ${agents.length === 0 ? "none" : agents.join(", ")}\n`);
  if (loaded.path === undefined) {
    io.err(`  config  no bridle.config.ts in ${io.cwd}: nothing can run yet\n`);
  }
  io.err("  next    bridle run <workflow.yaml> --input key=value\n");
}
