/** What becomes of the tasks of a run, read edge by edge from the table in `docs/adr/0010-joins.md`. */

export type When = "completed" | "failed" | "always";
type Edge = "live" | "dead" | "blocked" | "cancelled";

/** What each way to end means to each edge. A failure is CAUGHT where some task waits for it with `when: failed`. */
export const edgeTable = {
  COMPLETED: { completed: "live", failed: "dead", always: "live" },
  CAUGHT: { completed: "dead", failed: "live", always: "live" },
  FAILED: { completed: "blocked", failed: "live", always: "live" },
  SKIPPED_CONDITION: { completed: "dead", failed: "dead", always: "live" },
  SKIPPED_DEPENDENCY: { completed: "blocked", failed: "blocked", always: "live" },
  CANCELLED: { completed: "cancelled", failed: "cancelled", always: "live" },
} as const satisfies Readonly<Record<string, Readonly<Record<When, Edge>>>>;
export type End = keyof typeof edgeTable;
export type EdgeTable = Readonly<Record<End, Readonly<Record<When, Edge>>>>;

/** Once all dependencies have ended: whether the task starts, or how it ends without. */
export function joinOf(edges: readonly Edge[]): "starts" | End {
  if (edges.includes("cancelled")) return "CANCELLED";
  if (edges.includes("blocked")) return "SKIPPED_DEPENDENCY";
  return edges.length === 0 || edges.includes("live") ? "starts" : "SKIPPED_CONDITION";
}

/** A task of a workflow in an order in which each comes after what it needs. */
export interface Task {
  readonly id: string;
  readonly needs: readonly { readonly task: string; readonly when: When }[];
  /** How it ends if it starts; of a fan-out, which items fail and how many may. */
  readonly turnsOut: "completes" | "fails" | "skips" | "errors";
  readonly items?: readonly boolean[];
  readonly maxFailures: number;
}

/** The end of each task under `onFailure: continue` when nobody cancels: no failure concerns more than its edges. */
export function endsOf(
  tasks: readonly Task[],
  table: EdgeTable = edgeTable,
): ReadonlyMap<string, End> {
  const isCaught = (id: string): boolean =>
    tasks.some(({ needs }) => needs.some(({ task, when }) => task === id && when === "failed"));
  const ends = new Map<string, End>();
  for (const task of tasks) {
    const edges = task.needs.map((need) => table[ends.get(need.task) ?? "CANCELLED"][need.when]);
    const join = joinOf(edges);
    const end = join === "starts" ? endOf(task) : join;
    ends.set(task.id, end === "FAILED" && isCaught(task.id) ? "CAUGHT" : end);
  }
  return ends;
}

function endOf({ turnsOut, items, maxFailures }: Task): End {
  if (turnsOut === "skips") return "SKIPPED_CONDITION";
  if (turnsOut === "errors") return "FAILED";
  const isBroken =
    items === undefined ? turnsOut === "fails" : items.filter(Boolean).length > maxFailures;
  return isBroken ? "FAILED" : "COMPLETED";
}

/** FAILED as soon as one failure is left that nothing which turned out well goes on from with `failed` or `always`. */
export function runEndOf(
  tasks: readonly Task[],
  ends: ReadonlyMap<string, End>,
): "COMPLETED" | "FAILED" {
  const hasFailed = (id: string): boolean => ["FAILED", "CAUGHT"].includes(ends.get(id) ?? "");
  const isHandled = (id: string): boolean =>
    tasks.some(
      ({ id: other, needs }) =>
        needs.some(({ task, when }) => task === id && when !== "completed") &&
        (ends.get(other) === "COMPLETED" || (hasFailed(other) && isHandled(other))),
    );
  return tasks.some(({ id }) => hasFailed(id) && !isHandled(id)) ? "FAILED" : "COMPLETED";
}
