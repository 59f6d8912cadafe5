import { examine } from "@bridle/host";
import type { CheckedFinding, FindingLevel } from "@bridle/host";

import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { manyLines, safeJson } from "../text/sanitize.ts";

export interface DoctorOptions {
  readonly output: "text" | "json";
  readonly config?: string | undefined;
}

/** Changes nothing. Exit code 1 when something must be done. */
export async function doctorCommand({ output, config }: DoctorOptions, io: Io): Promise<number> {
  const examination = await examine({ env: io.env, folder: io.cwd, configPath: config });
  const { healthy, findings } = examination;
  if (output === "json") io.out(`${safeJson(examination, 2)}\n`);
  else {
    for (const finding of findings) io.out(lineOf(finding));
    io.err(healthy ? "Nothing to do.\n" : `${countOf(findings)} to do.\n`);
  }
  return healthy ? exitCodes.completed : exitCodes.failed;
}

const marks: Readonly<Record<FindingLevel, string>> = { ok: "ok  ", note: "note", act: "DO  " };

function lineOf({ level, check, finding, todo }: CheckedFinding): string {
  const advice = todo === undefined ? "" : `      → ${manyLines(todo)}\n`;
  return `${marks[level]}  ${check}: ${manyLines(finding)}\n${advice}`;
}

function countOf(findings: readonly CheckedFinding[]): string {
  const count = findings.filter(({ level }) => level === "act").length;
  return count === 1 ? "One thing" : `${count} things`;
}
