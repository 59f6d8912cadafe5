import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Interface } from "node:readline";
import { fileURLToPath } from "node:url";

import { createClient } from "@bridle/client";
import type { Client } from "@bridle/client";
import { systemClock, systemRandom } from "@bridle/kernel/system";

import type { Hits, Orders, Trap } from "./trap.ts";

/** A process under test with its end in view: started ready, armed on request, killed by itself or by us, by its pid. */
export class KillableProcess {
  readonly client: Client;
  /** Resolves with the signal that ended it. */
  readonly died: Promise<NodeJS.Signals | null>;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(
    child: ChildProcess,
    lines: AsyncIterator<string>,
    ready: { readonly url: string; readonly token: string },
  ) {
    this.#child = child;
    this.#lines = lines;
    this.died = new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)));
    this.client = createClient({
      url: ready.url,
      apiKey: ready.token,
      fetch,
      clock: systemClock,
      random: systemRandom,
    });
  }

  static async start(folder: string, providerUrl: string): Promise<KillableProcess> {
    const entry = fileURLToPath(new URL("process-under-test.ts", import.meta.url));
    const child = spawn(process.execPath, ["--import", "tsx", entry, folder, providerUrl], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const reader: Interface = createInterface({ input: child.stdout });
    const lines = reader[Symbol.asyncIterator]();
    const first = await lines.next();
    if (first.done === true) throw new Error("The process under test ended before it was ready.");
    return new KillableProcess(
      child,
      lines,
      JSON.parse(first.value) as { url: string; token: string },
    );
  }

  /** Sets these traps in place of all others. Resolves with how often each place was hit since the last call. */
  async arm(...traps: readonly Trap[]): Promise<Hits> {
    const orders: Orders = { traps };
    this.#child.stdin?.write(`${JSON.stringify(orders)}\n`);
    const line = await this.#lines.next();
    if (line.done === true) throw new Error("The process under test ended before it was armed.");
    return (JSON.parse(line.value) as { readonly hits: Hits }).hits;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  async stop(): Promise<void> {
    this.#child.stdin?.end();
    await this.died;
  }
}
