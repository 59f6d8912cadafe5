/** Agents that take more than they may, or keep what they took. */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";

import { defineAgent } from "@bridle/agent";

const module = import.meta.url;

const kept = [];

export const keepsMemory = defineAgent({
  name: "keeps-memory",
  module,
  run: (_, { megabytes }) => {
    kept.push(Buffer.alloc(megabytes * 1024 * 1024, 1));
    return process.pid;
  },
});

/** Stays small itself. */
export const startsHog = defineAgent({
  name: "starts-hog",
  module,
  run: async () => {
    const hog = "const kept = Buffer.alloc(300 << 20, 1); setInterval(() => kept.length, 1000)";
    spawn(process.execPath, ["-e", hog], { stdio: "ignore" });
    return new Promise(() => {});
  },
});

export const opensFiles = defineAgent({
  name: "opens-files",
  module,
  run: (_, { count }) => {
    const files = [];
    try {
      while (files.length < count) files.push(openSync("/dev/null", "r"));
      return { opened: files.length };
    } catch (error) {
      return { opened: files.length, code: error.code };
    } finally {
      for (const file of files) closeSync(file);
    }
  },
});
