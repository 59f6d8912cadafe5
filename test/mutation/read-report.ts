import type { MutationResult, Survivor } from "./mutation-result.ts";

interface Position {
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

export interface ReportedMutant {
  readonly status: string;
  readonly replacement?: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

/** The part of Stryker's report (mutation-testing-report-schema) that is read here. */
export interface MutationReport {
  /** By path from the root of the repository. */
  readonly files: Readonly<
    Record<string, { readonly source: string; readonly mutants: readonly ReportedMutant[] }>
  >;
}

const survived = new Set(["Survived", "NoCoverage"]);

/** Mutants that could not run (`CompileError`, `RuntimeError`) count neither way. */
export function readReport(name: string, date: string, report: MutationReport): MutationResult {
  const files = Object.entries(report.files).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const mutants = files.flatMap(([, file]) => file.mutants);
  const count = (status: string): number =>
    mutants.filter((mutant) => mutant.status === status).length;
  return {
    package: name,
    date,
    killed: count("Killed"),
    timedOut: count("Timeout"),
    survivors: files.flatMap(([path, { source, mutants: ofFile }]) => {
      const lines = source.split("\n");
      return ofFile
        .filter(({ status }) => survived.has(status))
        .toSorted((one, other) => one.location.start.line - other.location.start.line)
        .map((mutant) => survivor(path.replace(`packages/${name}/src/`, ""), lines, mutant));
    }),
  };
}

function survivor(file: string, lines: readonly string[], mutant: ReportedMutant): Survivor {
  const { start, end } = mutant.location;
  const first = lines[start.line - 1] ?? "";
  const head = first.slice(0, start.column - 1);
  const tail = (lines[end.line - 1] ?? "").slice(end.column - 1);
  return {
    file,
    before: oneLine(first),
    after: oneLine(head + (mutant.replacement ?? "") + tail),
    isCovered: mutant.status !== "NoCoverage",
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
