import { cpus, totalmem } from "node:os";

export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

export interface BenchGoal {
  /** Names a row. */
  readonly name: string;
  readonly op: "<=" | ">=";
  readonly limit: number;
}

export interface BenchReport {
  readonly bench: string;
  readonly date: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly rows: readonly BenchRow[];
  readonly goals: readonly (BenchGoal & { readonly value: number; readonly met: boolean })[];
  readonly notes: readonly string[];
}

export interface BenchResult {
  readonly rows: readonly BenchRow[];
  readonly goals: readonly BenchGoal[];
  /** What a reader of the figures must know: durability, isolation, what was not equal. */
  readonly notes: readonly string[];
}

/** Holds the measured rows to their goals. A goal without its row is a mistake of the bench, not a goal met. */
export function benchReport(
  bench: string,
  date: string,
  { rows, goals, notes }: BenchResult,
): BenchReport {
  return {
    bench,
    date,
    machine: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    versions: { node: process.versions.node, v8: process.versions.v8 },
    rows,
    notes,
    goals: goals.map((goal) => {
      const value = rows.find(({ name }) => name === goal.name)?.value;
      if (value === undefined)
        throw new Error(`Bench ${bench} has a goal for "${goal.name}" but measured no such row.`);
      return { ...goal, value, met: goal.op === "<=" ? value <= goal.limit : value >= goal.limit };
    }),
  };
}

function cell(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** One table per bench, for people. */
export function formatReport(report: BenchReport): string {
  const { bench, machine, versions, rows, goals, notes } = report;
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(({ name, value, unit }) => {
    const goal = goals.find((candidate) => candidate.name === name);
    const verdict =
      goal === undefined ? "" : `   goal ${goal.op} ${goal.limit} ${goal.met ? "met" : "MISSED"}`;
    return `  ${name.padEnd(width)}  ${cell(value).padStart(9)} ${unit}${verdict}`;
  });
  return [
    `${bench} · ${machine} · node ${versions["node"] ?? "?"}`,
    ...lines,
    ...notes.map((note) => `  ${note}`),
  ].join("\n");
}

/** The value below which `share` of the samples lie. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}
