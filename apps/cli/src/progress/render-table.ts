import type { TaskStatus } from "@bridle/protocol";
import { isTerminalTask } from "@bridle/protocol";
import type { createColors } from "picocolors";

import { formatCount, formatDuration, formatUsd } from "../text/format.ts";
import { oneLine } from "../text/sanitize.ts";
import type { Progress, TaskProgress } from "./progress.ts";

type Colors = ReturnType<typeof createColors>;

export interface Frame {
  readonly columns: number;
  readonly rows: number;
  /** Wall milliseconds. */
  readonly now: number;
  readonly colors: Colors;
}

type Paint = (colors: Colors) => (text: string) => string;

const paints: Readonly<Partial<Record<TaskStatus, Paint>>> = {
  COMPLETED: ({ green }) => green,
  RUNNING: ({ cyan }) => cyan,
  FAILED: ({ red }) => red,
  CRASHED: ({ red }) => red,
  TIMED_OUT: ({ red }) => red,
  BUDGET_EXCEEDED: ({ red }) => red,
  STALLED: ({ yellow }) => yellow,
  PARKED: ({ yellow }) => yellow,
  CANCELLING: ({ yellow }) => yellow,
};

/** The run as lines that fit the terminal: what runs comes first when not all tasks fit. */
export function renderTable(progress: Progress, frame: Frame): readonly string[] {
  const { colors } = frame;
  const tasks = [...progress.tasks.values()];
  const room = Math.max(3, frame.rows - 4);
  const visible = tasks.length <= room ? tasks : mostTelling(tasks, room);
  const width = Math.min(40, Math.max(4, ...visible.map(({ id }) => id.length)));
  const done = tasks.filter(({ status }) => isTerminalTask(status)).length;
  const head = `${oneLine(progress.workflow)}  ${progress.status}  ${done}/${tasks.length} tasks  ${formatCount(progress.spentTokens)} tokens  ${formatUsd(progress.spentNanoUsd)}`;
  const hidden = tasks.length - visible.length;
  return [
    colors.bold(clip(head, frame.columns)),
    ...visible.map((task) => taskLine(task, width, frame)),
    ...(hidden > 0 ? [colors.dim(clip(`  and ${hidden} more`, frame.columns))] : []),
  ];
}

function taskLine(task: TaskProgress, width: number, { columns, now, colors }: Frame): string {
  const { id, status, attempt, step, startedAt, finishedAt } = task;
  const elapsed = startedAt === undefined ? "" : formatDuration((finishedAt ?? now) - startedAt);
  const tries = attempt > 1 ? `try ${attempt}` : "";
  const steps = step > 0 ? `step ${step}` : "";
  const details = [elapsed, tries, steps, oneLine(task.note)].filter((part) => part !== "");
  const plain = `  ${id.slice(0, width).padEnd(width)}  ${status.padEnd(15)} ${details.join("  ")}`;
  const paint = paints[status]?.(colors) ?? colors.dim;
  // Clipped before it is painted: colour codes take no room.
  return clip(plain, columns).replace(status, paint(status));
}

function clip(text: string, columns: number): string {
  return text.length <= columns ? text.trimEnd() : `${text.slice(0, Math.max(1, columns - 1))}…`;
}

/** Unfinished tasks first, then failures, then what ended last; shown in the workflow's order. */
function mostTelling(tasks: readonly TaskProgress[], room: number): readonly TaskProgress[] {
  const chosen = new Set(tasks.toSorted((left, right) => rank(left) - rank(right)).slice(0, room));
  return tasks.filter((task) => chosen.has(task));
}

function rank({ status }: TaskProgress): number {
  if (status === "PENDING") return 3;
  if (!isTerminalTask(status)) return 0;
  return status === "COMPLETED" || status === "SKIPPED" ? 2 : 1;
}
