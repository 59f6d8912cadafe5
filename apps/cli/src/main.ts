#!/usr/bin/env node
import { runProgram } from "./program.ts";
import { systemIo } from "./system-io.ts";

// A closed pipe (`bridle runs list | head`) is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

const code = await runProgram(process.argv.slice(2), systemIo());
// What a configuration leaves running, a timer of its own, must not keep a command that is done.
await Promise.all([process.stdout, process.stderr].map(flushed));
process.exit(code);

async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void stream.write("", () => resolve()));
}
