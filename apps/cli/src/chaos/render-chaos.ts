import type { ScenarioResult, ScenarioState } from "@bridle/fake-agents/chaos";
import type { createColors } from "picocolors";

import { formatDuration } from "../text/format.ts";

type Colors = ReturnType<typeof createColors>;

export interface ChaosRow {
  readonly name: string;
  readonly guard: string;
  readonly round: number;
  readonly state: ScenarioState;
  /** Of the last round that is over. */
  readonly result?: ScenarioResult | undefined;
}

interface Frame {
  readonly columns: number;
  readonly colors: Colors;
}

export interface ChaosFrame extends Frame {
  readonly height: number;
  readonly rounds: number;
}

const nameWidth = 24;

/** All scenarios as lines that fit the terminal: what runs or has missed a bound comes first when there is no room for all. */
export function renderChaosTable(
  rows: readonly ChaosRow[],
  { columns, height, rounds, colors }: ChaosFrame,
): readonly string[] {
  const room = Math.max(3, height - 3);
  const shown = rows.length <= room ? rows : mostTelling(rows, room);
  const round = Math.max(...rows.map((row) => row.round));
  const done = rows.filter(({ state }) => state !== "waiting" && state !== "running").length;
  const head = `round ${round} of ${rounds}   ${done}/${rows.length} stopped`;
  const hidden = rows.length - shown.length;
  return [
    colors.bold(head.slice(0, columns)),
    ...shown.map((row) => renderChaosRow(row, { columns, colors })),
    ...(hidden > 0 ? [colors.dim(`  and ${hidden} more`)] : []),
  ];
}

/** One scenario: where it stands, and the figures of the round that is over. */
function renderChaosRow({ name, guard, state, result }: ChaosRow, frame: Frame): string {
  const figures = result === undefined ? "" : figuresOf(result);
  const plain = `  ${name.padEnd(nameWidth)} ${guard.padEnd(9)} ${state.padEnd(8)} ${figures}`;
  // Clipped before it is painted: colour codes take no room.
  const clipped = plain.trimEnd().slice(0, frame.columns);
  const paint = marks[state](frame.colors);
  return clipped.replace(` ${state}`, ` ${paint(state)}`);
}

/** For logs and pipes: everything about one scenario in one line. */
export function renderResultLine(result: ScenarioResult, guards: "on" | "off"): string {
  const { name, guard, round, missed } = result;
  const verdict = missed.length > 0 ? "MISSED" : guards === "on" ? "held  " : "seen  ";
  const why = missed.length === 0 ? "" : `   ${missed.join("; ")}`;
  return `${verdict}  ${name.padEnd(nameWidth)} ${guard.padEnd(9)} round ${round}  ${figuresOf(result)}${why}`;
}

function figuresOf({
  endedAs,
  reason,
  calls,
  tokens,
  usd,
  livedMs,
  orphans,
}: ScenarioResult): string {
  const end = reason === undefined ? endedAs : `${endedAs}(${reason})`;
  const lived = livedMs === undefined ? "never" : formatDuration(livedMs);
  const cells = [
    end.padEnd(31),
    lived.padStart(7),
    `${calls} calls`.padStart(10),
    `${tokens} tokens`.padStart(16),
    `$${usd.toFixed(2)}`.padStart(7),
  ];
  return `${cells.join(" ")}${orphans > 0 ? `  ${orphans} orphans` : ""}`;
}

type Paint = (colors: Colors) => (text: string) => string;

const marks: Readonly<Record<ScenarioState, Paint>> = {
  waiting: ({ dim }) => dim,
  running: ({ cyan }) => cyan,
  stopped: ({ yellow }) => yellow,
  held: ({ green }) => green,
  missed: ({ red }) => red,
};

const ranks: Readonly<Record<ScenarioState, number>> = {
  missed: 0,
  running: 1,
  stopped: 2,
  held: 3,
  waiting: 4,
};

function mostTelling(rows: readonly ChaosRow[], room: number): readonly ChaosRow[] {
  const chosen = new Set(
    rows.toSorted((left, right) => ranks[left.state] - ranks[right.state]).slice(0, room),
  );
  return rows.filter((row) => chosen.has(row));
}
