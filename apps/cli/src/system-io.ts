import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { bridleError } from "@bridle/protocol";

import type { Io } from "./io.ts";

function onSignals(signals: readonly NodeJS.Signals[], handler: () => void): () => void {
  for (const signal of signals) process.on(signal, handler);
  return () => {
    for (const signal of signals) process.off(signal, handler);
  };
}

/** https://no-color.org: set and not empty turns colours off. */
function hasColor(env: NodeJS.ProcessEnv): boolean {
  return (env["NO_COLOR"] ?? "") === "" && process.stderr.isTTY && env["TERM"] !== "dumb";
}

/** A folder may be deleted under the shell that stands in it. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const message = "The working folder does not exist any more; change into another.";
    throw bridleError("request_invalid", { message, cause });
  }
}

/** A terminal that nobody told its size says 0: what is drawn for it must not be clipped to nothing. */
export function sizeOr(usual: number, size: number | undefined): number {
  return size === undefined || size < 1 ? usual : size;
}

/** The real process. Only `main.ts` names it. */
export function systemIo(): Io {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: process.stderr.isTTY && process.env["TERM"] !== "dumb",
    hasColor: hasColor(process.env),
    get columns() {
      return sizeOr(100, process.stderr.columns);
    },
    get rows() {
      return sizeOr(24, process.stderr.rows);
    },
    env: process.env,
    get cwd() {
      return workingFolder();
    },
    fetch: globalThis.fetch,
    onInterrupt: (handler) => onSignals(["SIGINT"], handler),
    onTerminate: (handler) => onSignals(["SIGTERM", "SIGHUP"], handler),
    exitNow: (code) => process.exit(code),
    readText: async (path) =>
      path === "-" ? readStandardInput() : readFile(resolve(workingFolder(), path), "utf8"),
  };
}

async function readStandardInput(): Promise<string> {
  process.stdin.setEncoding("utf8");
  let text = "";
  for await (const chunk of process.stdin) text += String(chunk);
  return text;
}
