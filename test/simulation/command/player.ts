import { fork } from "node:child_process";

import type { Block } from "./play-seeds.ts";
import type { Tally } from "./tally.ts";

export interface Player {
  /** Contract: one block at a time. Rejects when the process ended instead of answering. */
  play(block: Block): Promise<Tally>;
  close(): void;
}

/**
 * Worlds die young: a large nursery is emptied rarely, and then little is left in it. 16 MB cost 6 % more CPU, 128 MB gained
 * nothing.
 */
const execArgv = ["--max-semi-space-size=64"];

/** A process of its own for each player, warm from block to block: compiling hot code costs some four seconds of CPU. */
export function startPlayer(file: string): Player {
  const child = fork(file, { execArgv });
  return {
    play: async (block) =>
      new Promise((resolve, reject) => {
        const answered = (tally: unknown): void => {
          child.off("exit", ended);
          // Written by `player-main.ts` and by nobody else.
          resolve(tally as Tally);
        };
        const ended = (code: number | null, signal: string | null): void => {
          child.off("message", answered);
          const [first, last] = [block.from, block.from + block.seeds - 1];
          const how = signal ?? `code ${code}`;
          reject(
            new Error(`A process ended with ${how} while it played seeds ${first} to ${last}.`),
          );
        };
        child.once("message", answered);
        child.once("exit", ended);
        child.send(block);
      }),
    close: () => child.disconnect(),
  };
}
