import { spawn } from "node:child_process";

import { defineAgent } from "@bridle/agent";

export interface LeavesGrandchildInput {
  /** In a session of its own, out of reach of its group's signals. */
  readonly detached?: boolean;
  /** Stays itself as well, instead of answering. */
  readonly stays?: boolean;
}

/** Starts a process that outlives its task, and says which (B110). */
export const leavesGrandchild = defineAgent<LeavesGrandchildInput, { readonly pid: number }>({
  name: "leaves-grandchild",
  module: import.meta.url,
  async run(ctx, { detached = false, stays = false }) {
    const child = spawn("sleep", ["600"], { detached, stdio: "ignore" });
    const pid = child.pid ?? 0;
    child.unref();
    ctx.log.info("grandchild started", { pid });
    ctx.heartbeat({ progress: `pid ${pid}` });
    if (stays) await new Promise<never>(() => undefined);
    return { pid };
  },
});
