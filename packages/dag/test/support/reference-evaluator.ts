import type { Planned, When } from "./random-workflow.ts";

type Final = "COMPLETED" | "FAILED" | "SKIPPED";

/** What becomes of a task, told edge by edge from the manual's rules and nothing of the code under test. */
interface Fate {
  readonly final: Final;
  /** Skipped for lack of something that failed, rather than because its branch was not taken. */
  readonly starved: boolean;
}

interface Arrived {
  readonly token: boolean;
  readonly starved: boolean;
}

/** What comes over one edge: a token that starts the task, the news that something is missing, or nothing. */
function arrives(source: Fate, when: When, isCaught: boolean): Arrived {
  if (when === "always") return { token: true, starved: false };
  if (source.final === "SKIPPED") return { token: false, starved: source.starved };
  if (source.final === "COMPLETED") return { token: when === "completed", starved: false };
  return { token: when === "failed", starved: when === "completed" && !isCaught };
}

/** The fate of every task of a run under `onFailure: continue` in which nobody cancels. */
export function fatesOf(plan: readonly Planned[]): ReadonlyMap<string, Fate> {
  const edges = plan.flatMap(({ needs }) => needs);
  const caught = new Set(edges.flatMap(({ task, when }) => (when === "failed" ? [task] : [])));
  const fates = new Map<string, Fate>();
  for (const planned of plan) {
    const arrived = planned.needs.map(({ task, when }) => {
      const source = fates.get(task);
      if (source === undefined) throw new Error(`${task} comes before ${planned.id}`);
      return arrives(source, when, caught.has(task));
    });
    const starved = arrived.some((each) => each.starved);
    const starts = !starved && (arrived.length === 0 || arrived.some((each) => each.token));
    fates.set(planned.id, starts ? runs(planned) : { final: "SKIPPED", starved });
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
