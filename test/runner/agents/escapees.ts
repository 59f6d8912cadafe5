import { spawn } from "node:child_process";

import { defineAgent } from "@bridle/agent";

const forever = async (): Promise<never> => new Promise<never>(() => undefined);

/** Starts a process in a session of its own, and stays. */
export const setsid = defineAgent<unknown, never>({
  name: "setsid",
  module: import.meta.url,
  run: async () => {
    spawn("sleep", ["600"], { detached: true, stdio: "ignore" }).unref();
    return forever();
  },
});

/** The same, by a parent that is gone at once: a daemon, whose descent says nothing any more. */
export const doubleFork = defineAgent<unknown, never>({
  name: "double-fork",
  module: import.meta.url,
  run: async () => {
    spawn("sh", ["-c", "exec sh -c '(exec setsid sleep 600) & exit 0'"], {
      stdio: "ignore",
    }).unref();
    return forever();
  },
});
