/** Whether time and memory grow with a run as the run does: one run of 1,000 to 10,000 tasks. */
import type { BenchResult, BenchRow } from "./bench-report.ts";
import { measureBigRun } from "./big-run.ts";
import type { BigRun, BigRunFigures } from "./big-run.ts";

const sizes = [1000, 3000, 10_000] as const;
const largest = 10_000;

interface Curve extends Pick<BigRun, "shape" | "store"> {
  readonly name: string;
}

const curves: readonly Curve[] = [
  { name: "layers", shape: "layers", store: "pglite" },
  { name: "fan-out", shape: "fan-out", store: "pglite" },
  { name: "layers in memory", shape: "layers", store: "memory" },
];

export async function benchDagBig(): Promise<BenchResult> {
  const rows: BenchRow[] = [];
  for (const curve of curves) {
    const figures: BigRunFigures[] = [];
    for (const tasks of sizes) {
      // oxlint-disable-next-line no-await-in-loop -- side by side they would measure each other
      figures.push(await measureBigRun({ ...curve, tasks }));
    }
    rows.push(...figures.flatMap((figure) => rowsOf(curve.name, figure)));
    rows.push(...growthOf(curve.name, figures));
  }
  return {
    rows,
    goals: curves.flatMap(({ name }) => [
      { name: `${name}: time grows with`, op: "<=" as const, limit: 1.1 },
      { name: `${name}: memory grows with`, op: "<=" as const, limit: 1.1 },
      { name: `${name}, ${largest}: highest memory`, op: "<=" as const, limit: 500 },
    ]),
    notes: [
      "Each run in a bridle dev of its own that has done a run of 200 before; the power is the slope of log(figure) over log(tasks).",
      "Memory is resident memory of the whole process; its growth is what the run added to the highest figure before.",
      "Layers of 100 with two random edges per task; a fan-out is one forEach. Inline isolation, 16 slots, all guards on.",
      "Embedded Postgres survives process death, not power loss; in memory nothing survives.",
    ],
  };
}

function rowsOf(name: string, { tasks, ms, cpuMs, peakMiB }: BigRunFigures): readonly BenchRow[] {
  return [
    { name: `${name}, ${tasks}: time`, value: ms / 1000, unit: "s" },
    { name: `${name}, ${tasks}: per task`, value: ms / tasks, unit: "ms" },
    { name: `${name}, ${tasks}: processor time per task`, value: cpuMs / tasks, unit: "ms" },
    { name: `${name}, ${tasks}: highest memory`, value: peakMiB, unit: "MiB" },
  ];
}

function growthOf(name: string, figures: readonly BigRunFigures[]): readonly BenchRow[] {
  const power = (field: "ms" | "cpuMs" | "grownMiB"): number =>
    slope(
      // Less than a mebibyte is not a figure that can be told from noise.
      figures.map((figure) => ({
        x: Math.log(figure.tasks),
        y: Math.log(Math.max(1, figure[field])),
      })),
    );
  return [
    { name: `${name}: time grows with`, value: power("ms"), unit: "power of tasks" },
    { name: `${name}: processor time grows with`, value: power("cpuMs"), unit: "power of tasks" },
    { name: `${name}: memory grows with`, value: power("grownMiB"), unit: "power of tasks" },
  ];
}

/** Least squares. Of logarithms: 1 is linear, 2 quadratic. */
function slope(points: readonly { readonly x: number; readonly y: number }[]): number {
  const meanX = mean(points.map(({ x }) => x));
  const meanY = mean(points.map(({ y }) => y));
  const above = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  return above / points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
