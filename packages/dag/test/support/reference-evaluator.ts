import type { Planned } from "./random-workflow.ts";

export type Final = "COMPLETED" | "FAILED" | "SKIPPED";

/** What becomes of a task, told edge by edge from the manual's rules and nothing of the code under test. */
interface Fate {
  readonly final: Final;
  /** Skipped for lack of something that failed, rather than because its branch was not taken. */
  readonly starved: boolean;
}

/** The fate of every task of a run under `onFailure: continue` in which nobody cancels. */
export function fatesOf(plan: readonly Planned[]): ReadonlyMap<string, Fate> {
  const caught = new Set(
    plan.flatMap(({ needs }) =>
      needs.filter((need) => need.when === "failed").map((need) => need.task),
    ),
  );
  const fates = new Map<string, Fate>();
  for (const planned of plan) {
    let tokens = planned.needs.length === 0 ? 1 : 0;
    let starved = false;
    for (const { task, when } of planned.needs) {
      const source = fates.get(task);
      if (source === undefined) throw new Error(`${task} comes before ${planned.id}`);
      if (when === "always") tokens += 1;
      else if (source.final === "SKIPPED") starved ||= source.starved;
      else if (source.final === "COMPLETED") tokens += when === "completed" ? 1 : 0;
      else if (when === "failed") tokens += 1;
      else starved ||= !caught.has(task);
    }
    fates.set(planned.id, starved || tokens === 0 ? { final: "SKIPPED", starved } : runs(planned));
  }
  return fates;
}

function runs({ turnsOut, items, maxFailures }: Planned): Fate {
  if (turnsOut === "skips") return { final: "SKIPPED", starved: false };
  if (turnsOut === "errors") return { final: "FAILED", starved: false };
  const broken =
    items === undefined ? turnsOut === "fails" : items.filter(Boolean).length > maxFailures;
  return { final: broken ? "FAILED" : "COMPLETED", starved: false };
}

/** How the run ends: FAILED as soon as one failure is left that nothing which turned out well goes on from. */
export function runFateOf(plan: readonly Planned[]): "COMPLETED" | "FAILED" {
  const fates = fatesOf(plan);
  const turnedOutWell = (id: string): boolean => {
    const final = fates.get(id)?.final;
    if (final !== "FAILED") return final === "COMPLETED";
    return plan.some(
      (other) =>
        other.needs.some((need) => need.task === id && need.when !== "completed") &&
        turnedOutWell(other.id),
    );
  };
  const bad = plan.some(({ id }) => fates.get(id)?.final === "FAILED" && !turnedOutWell(id));
  return bad ? "FAILED" : "COMPLETED";
}
