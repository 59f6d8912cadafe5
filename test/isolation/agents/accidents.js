/** One accident each, run on every level of isolation: what happens to the worker and to its neighbour is what `docs/isolation.md` says. */
import { execFileSync, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";

import { defineAgent } from "@bridle/agent";

const module = import.meta.url;

const wait = async (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

const megabyte = 1024 * 1024;

const accidents = {
  loops: () => {
    for (;;);
  },
  "ignores-signal": async () => new Promise(() => {}),
  "blocks-in-native": () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  "waits-for-program": () => execFileSync("sleep", ["600"]),
  exits: () => process.exit(3),
  crashes: async () => {
    process.kill(process.pid, "SIGSEGV");
    return wait(60_000);
  },
  "throws-later": async () => {
    setTimeout(() => {
      throw new Error("nobody catches this");
    }, 10);
    return wait(60_000);
  },
  "fills-heap": () => {
    const kept = [];
    for (;;) kept.push(Array.from({ length: 10_000 }, (_, n) => ({ n })));
  },
  "fills-buffers": async () => {
    const kept = Array.from({ length: 400 }, () => Buffer.alloc(megabyte, 1));
    // Longer than the pause between two looks at a process's memory.
    await wait(2500);
    return kept.length;
  },
  "opens-files": () => {
    const files = [];
    try {
      while (files.length < 1000) files.push(openSync("/dev/null", "r"));
      return files.length;
    } finally {
      for (const file of files) closeSync(file);
    }
  },
  "changes-globals": () => {
    globalThis.changed = "by a task";
    return "done";
  },
  "leaves-program": () => {
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    child.unref();
    return child.pid;
  },
};

export const accident = defineAgent({
  name: "accident",
  module,
  run: async (context, { what }) => {
    context.log.info("going");
    await wait(50);
    return accidents[what]();
  },
});

/** Works beside it, and tells what it finds changed. */
export const neighbour = defineAgent({
  name: "neighbour",
  module,
  run: async (_, { ms }) => {
    await wait(ms);
    return { changed: globalThis.changed ?? null };
  },
});
