import { defineAgent, defineConfig } from "@bridle/agent";
import { openInstallation, readEnvironment } from "@bridle/host";
import type { RunningParts } from "@bridle/host";

/** Its process imports this module and looks for it: an agent must be exported. */
export const hello = defineAgent({
  name: "hello",
  module: import.meta.url,
  run: (_context, { name }: { name: string }) => ({ greeting: `Hello, ${name}!` }),
});

/** A whole installation in this process. `folder` holds its token and, were it not in memory, its store. */
export async function startHello(folder: string): Promise<RunningParts & { token: string }> {
  const installation = await openInstallation({
    environment: readEnvironment({
      BRIDLE_STORE_URL: "memory:",
      BRIDLE_DATA_DIR: folder,
      PORT: "0",
      LOG_LEVEL: "error",
    }),
    folder,
    env: process.env,
    config: defineConfig({ providers: {}, models: {}, agents: [hello] }),
  });
  const running = await installation.start(["server", "scheduler", "worker"]);
  return { ...running, token: installation.localToken };
}
