import { CodedError } from "@bridle/kernel";
import type { SpecIssue } from "@bridle/protocol";
import { createColors } from "picocolors";

import { exitCodeOfError } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { manyLines, oneLine, safeJson } from "./text/sanitize.ts";

/**
 * Says what went wrong, never how the program got there: the code, a sentence, and each fault with its place. With `-o json` the same
 * verdict as JSON on the result stream. Returns the exit code.
 */
export function reportError(error: unknown, io: Io, format: "text" | "json"): number {
  const exitCode = exitCodeOfError(error);
  const { code, message, issues } = describe(error);
  if (format === "json") {
    io.out(`${safeJson({ error: { code, message, issues }, exitCode }, 2)}\n`);
    return exitCode;
  }
  const { red } = createColors(io.hasColor);
  io.err(`${red("error")} [${oneLine(code)}] ${manyLines(message)}\n`);
  for (const issue of issues) io.err(`  ${issueLine(issue)}\n`);
  if (io.env["LOG_LEVEL"] === "debug" && error instanceof Error) {
    io.err(`${manyLines(error.stack ?? "")}\n`);
  }
  return exitCode;
}

interface Described {
  readonly code: string;
  readonly message: string;
  readonly issues: readonly SpecIssue[];
}

function describe(error: unknown): Described {
  if (CodedError.is(error)) {
    const { issues } = error.details as { issues?: readonly SpecIssue[] };
    // A configuration's message lists its faults by itself.
    const isListed = error.code === "config_invalid";
    return { code: error.code, message: error.message, issues: isListed ? [] : (issues ?? []) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message: `Something broke that should not: ${message}`, issues: [] };
}

function issueLine({ pointer, message, suggestion }: SpecIssue): string {
  const hint = suggestion === undefined ? "" : ` Did you mean "${oneLine(suggestion)}"?`;
  return `${oneLine(pointer === "" ? "/" : pointer)}: ${oneLine(message)}${hint}`;
}
