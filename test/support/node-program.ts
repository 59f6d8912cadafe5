import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { onTestFinished } from "vitest";

import { until } from "./until.ts";

export interface NodeProgram {
  readonly child: ChildProcess;
  /** What it has printed so far, line by line. */
  readonly lines: readonly string[];
  /** Resolves once it has printed so many lines; rejects when it ends before. */
  printed(count: number): Promise<void>;
  exited(): Promise<void>;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A process of its own that runs this module text on the built packages. Killed when the test ends. */
export function startNodeProgram(source: string): NodeProgram {
  return startProgram(["--input-type=module", "-e", source]);
}

/** The same for a TypeScript file of the tests; packages are run from source. */
export function startTestProgram(path: string, ...args: readonly string[]): NodeProgram {
  return startProgram([...testFlags, path, ...args]);
}

/** The same with a heap that is full soon. */
export function startSmallProgram(path: string, ...args: readonly string[]): NodeProgram {
  return startProgram(["--max-old-space-size=160", ...testFlags, path, ...args]);
}

const testFlags = ["--import", "tsx", "--conditions=@bridle/source"];

function startProgram(args: readonly string[]): NodeProgram {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env["PATH"] ?? "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  let complaints = "";
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()));
  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null;
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    child,
    lines,
    printed: async (count) =>
      until(() => {
        if (lines.length >= count) return true;
        if (hasExited()) throw new Error(`The program ended: ${complaints}`);
        return false;
      }),
    exited: async () => until(hasExited),
  };
}
