#!/usr/bin/env node
import { runProgram } from "./program.ts";
import { systemIo } from "./system-io.ts";

// A closed pipe (`bridle runs list | head`) is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await runProgram(process.argv.slice(2), systemIo());
// What a configuration leaves running, a timer of its own, must not keep a command that is done. What is still closing has its time.
setTimeout(() => process.exit(), 5000).unref();
