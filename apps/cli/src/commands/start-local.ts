import type { Io } from "../io.ts";
import { allParts, open } from "./serve.ts";

export interface Local {
  readonly url: string;
  readonly apiKey: string;
  stop(): Promise<void>;
}

/** A whole installation inside this process, on a free port of this machine, for one run. */
export async function startLocal(config: string | undefined, io: Io): Promise<Local> {
  const quiet = { ...io, env: { LOG_LEVEL: "warn", ...io.env } };
  const installation = await open({ config, host: "127.0.0.1", port: "0" }, quiet, allParts);
  const running = await installation.start(allParts);
  return { url: running.url ?? "", apiKey: installation.localToken, stop: () => running.stop() };
}
