/** Agents for tests of threads: what blocks, fills or ends one. */
import { execFileSync } from "node:child_process";
import { openSync } from "node:fs";
import { threadId } from "node:worker_threads";

import { defineAgent } from "@bridle/agent";

const module = import.meta.url;

export const whichThread = defineAgent({ name: "which-thread", module, run: () => threadId });

/** A native call that nothing in JS can end: the open of a named pipe without a writer. */
export const opensPipe = defineAgent({
  name: "opens-pipe",
  module,
  run: (context, { path }) => {
    context.log.info("opening");
    return openSync(path, "r");
  },
});

/** The same by a child: the thread waits until it has ended. */
export const waitsForChild = defineAgent({
  name: "waits-for-child",
  module,
  run: (context) => {
    context.log.info("waiting");
    return execFileSync("sleep", ["600"]).length;
  },
});

export const fillsHeap = defineAgent({
  name: "fills-heap",
  module,
  run: () => {
    const kept = [];
    for (;;) kept.push(Array.from({ length: 10_000 }, (_, n) => ({ n })));
  },
});
