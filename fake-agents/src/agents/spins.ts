import { defineAgent } from "@bridle/agent";

export interface SpinsInput {
  /** `sync` blocks the event loop in JavaScript, `microtasks` starves it, `native` blocks it in a system call. */
  readonly how?: "sync" | "microtasks" | "native";
}

/** Never gives its event loop back: no message reaches it, no timer fires in it. */
export const spins = defineAgent<SpinsInput, never>({
  name: "spins",
  module: import.meta.url,
  run(_ctx, { how = "sync" }) {
    if (how === "microtasks") return starve();
    if (how === "native") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    let count = 0;
    while (true) count += 1;
  },
});

async function starve(): Promise<never> {
  // oxlint-disable-next-line no-await-in-loop -- starving the loop is the fault under test
  while (true) await Promise.resolve();
}
