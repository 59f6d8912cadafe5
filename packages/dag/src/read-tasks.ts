import { joinConditions } from "@bridle/protocol";
import type { JoinCondition } from "@bridle/protocol";

export interface DraftEdge {
  readonly task: string;
  readonly when: JoinCondition;
  readonly pointer: string;
}

/** What can be read off a task although other parts of it may be wrong, so that all faults are named at once. */
export interface DraftTask {
  readonly index: number;
  readonly pointer: string;
  readonly id: string;
  readonly edges: readonly DraftEdge[];
  readonly raw: Readonly<Record<string, unknown>>;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function readTasks(raw: unknown): readonly DraftTask[] {
  const tasks = isRecord(raw) ? raw["tasks"] : undefined;
  if (!Array.isArray(tasks)) return [];
  return tasks.flatMap((task: unknown, index) => {
    if (!isRecord(task)) return [];
    const pointer = `/tasks/${index}`;
    const id = typeof task["id"] === "string" ? task["id"] : "";
    const edges = ["dependsOn", "needs"].flatMap((key) =>
      readEdges(task[key], `${pointer}/${key}`),
    );
    return [{ index, pointer, id, edges, raw: task }];
  });
}

function readEdges(value: unknown, pointer: string): readonly DraftEdge[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown, index) => {
    const edge = readEdge(entry);
    return edge === undefined ? [] : [{ ...edge, pointer: `${pointer}/${index}` }];
  });
}

function readEdge(entry: unknown): Omit<DraftEdge, "pointer"> | undefined {
  if (typeof entry === "string") return { task: entry, when: "completed" };
  if (!isRecord(entry) || typeof entry["task"] !== "string") return undefined;
  const when = joinConditions.find((condition) => condition === entry["when"]) ?? "completed";
  return { task: entry["task"], when };
}
