import { spawn } from "node:child_process";

export interface NodeRun {
  readonly cwd: string;
  /** Arguments of `node`. */
  readonly args: readonly string[];
  /** Killed after this: what is run may well wait for ever. */
  readonly timeoutMs: number;
  /** Over those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface NodeRan {
  /** Undefined when it was killed. */
  readonly status: number | undefined;
  readonly output: string;
}

/** Runs Node to its end, with its output kept and without colours. */
export async function runNode(run: NodeRun): Promise<NodeRan> {
  const { cwd, args, timeoutMs, environment } = run;
  // A vitest within a test must not take itself for a worker of the one around it.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"));
  const env = { ...Object.fromEntries(inherited), NO_COLOR: "1", FORCE_COLOR: "0", ...environment };
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => {
      clearTimeout(timer);
      resolve({ status: status ?? undefined, output });
    });
  });
}
