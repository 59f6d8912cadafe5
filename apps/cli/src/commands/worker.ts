import { startWorkerProcess } from "@bridle/worker";

import type { Io } from "../io.ts";
import { tuneEngine } from "../tune-engine.ts";
import { serveUntilStopped } from "./serve-until-stopped.ts";

export interface WorkerOptions {
  readonly config?: string | undefined;
}

/** Runs tasks until it is told to stop. */
export async function workerCommand(options: WorkerOptions, io: Io): Promise<number> {
  tuneEngine();
  const { env, cwd: folder } = io;
  const starting = startWorkerProcess({ env, folder, configPath: options.config });
  const announced = starting.then((running) => {
    io.err(`Working for ${running.agents.join(", ")}\n`);
    return running;
  });
  return serveUntilStopped(announced, io);
}
