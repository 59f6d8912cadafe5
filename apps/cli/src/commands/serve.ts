import { openInstallation, readEnvironment } from "@bridle/host";
import type { Installation } from "@bridle/host";

import type { Io } from "../io.ts";
import { serveUntilStopped } from "./serve-until-stopped.ts";

export interface ServeOptions {
  readonly config?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
}

/** Everything in one process: the embedded size. */
export async function devCommand(options: ServeOptions, io: Io): Promise<number> {
  // A developer reads this terminal: only what is wrong, unless LOG_LEVEL asks for more.
  const quiet = { ...io, env: { LOG_LEVEL: "warn", ...io.env } };
  const installation = await open(options, quiet);
  const running = await installation.start(["server", "scheduler", "worker"]);
  announce(installation, running.url, io);
  return serveUntilStopped(running, io);
}

/** API and scheduler. Of several, one schedules at a time. */
export async function serverCommand(options: ServeOptions, io: Io): Promise<number> {
  const installation = await open(options, io);
  const running = await installation.start(["server", "scheduler"]);
  announce(installation, running.url, io);
  return serveUntilStopped(running, io);
}

export async function open(options: ServeOptions, io: Io): Promise<Installation> {
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
  });
}

function announce(installation: Installation, url: string | undefined, io: Io): void {
  const { loaded, environment, usesKeys } = installation;
  const agents = loaded.config.agents.map(({ name }) => name);
  io.out(`Bridle is listening on ${url ?? "no address"}\n`);
  io.err(
    usesKeys
      ? "  access  API keys (bridle keys list)\n"
      : `  access  this machine only, with the install token in ${environment.dataDir}/token\n`,
  );
  io.err(`  agents  ${agents.length === 0 ? "none" : agents.join(", ")}\n`);
  if (loaded.path === undefined) {
    io.err(`  config  no bridle.config.ts in ${io.cwd}: nothing can run yet\n`);
  }
  io.err("  next    bridle run <workflow.yaml> --input key=value\n");
}
