import { Option } from "commander";
import type { Command } from "commander";

/** A command's work: its arguments, then its options; resolves with the exit code. */
export type Work = (args: readonly string[], options: never) => Promise<number>;

/** Gives a command its work. */
export type Act = (command: Command, work: Work) => Command;

export function outputOption(): Option {
  return new Option("-o, --output <format>", "how to print")
    .choices(["text", "json"])
    .default("text");
}
