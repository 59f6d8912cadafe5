import { openInstallation, readEnvironment } from "@bridle/host";
import { bridleError } from "@bridle/protocol";

export interface WorkerProcessOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where `bridle.config.ts` is looked for. */
  readonly folder: string;
  readonly configPath?: string | undefined;
}

export interface WorkerProcess {
  /** Names of the agents it works for. */
  readonly agents: readonly string[];
  /** As `RunningParts.retired`. */
  readonly retired: Promise<string>;
  /** Takes at most the configured shutdown time; never rejects. */
  stop(): Promise<void>;
}

/** Runs tasks, and nothing else, in this process. An embedded store belongs to one process, so it needs a shared one. */
export async function startWorkerProcess(options: WorkerProcessOptions): Promise<WorkerProcess> {
  const environment = readEnvironment(options.env);
  if (environment.storeUrl.startsWith("pglite:")) {
    throw bridleError("config_invalid", {
      message:
        "A worker of its own needs a store it can share: set BRIDLE_STORE_URL=postgres://… for it and the server, or use `bridle dev`, which runs all in one process.",
    });
  }
  const { folder, configPath, env } = options;
  const installation = await openInstallation({
    environment,
    folder,
    configPath,
    env,
    preload: ["worker"],
  });
  const { agents } = installation.loaded.config;
  const running = await installation.start(["worker"]);
  const { retired } = running;
  return { agents: agents.map(({ name }) => name), retired, stop: () => running.stop() };
}
