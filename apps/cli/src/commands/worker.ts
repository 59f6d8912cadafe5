import { startWorkerProcess } from "@bridle/worker";

import type { Io } from "../io.ts";
import { serveUntilStopped } from "./serve-until-stopped.ts";

export interface WorkerOptions {
  readonly config?: string | undefined;
}

/** Runs tasks until it is told to stop. */
export async function workerCommand(options: WorkerOptions, io: Io): Promise<number> {
  const running = await startWorkerProcess({
    env: io.env,
    folder: io.cwd,
    configPath: options.config,
  });
  io.err(`Working for ${running.agents.join(", ")}\n`);
  return serveUntilStopped(running, io);
}
