import type { Invariant, Observation, WhoSpends } from "./observation.ts";

type Fenced = Extract<Observation, { type: "fenced" }>;

/** 2 and 3. Fences only rise; an attempt is claimed once, at its fence; one result of it is accepted, and it is its own. */
export function attemptsAreFenced(): Invariant {
  const fences = new Map<string, number>();
  const claimed = new Set<string>();
  const finished = new Set<string>();
  const fenceFault = ({ runId, taskId, fence }: Fenced): string | undefined => {
    const task = `${runId}/${taskId}`;
    const before = fences.get(task) ?? 0;
    fences.set(task, fence);
    return fence < before ? `The fence of ${task} fell from ${before} to ${fence}.` : undefined;
  };
  return (seen) => {
    if (seen.type === "fenced") return fenceFault(seen);
    if (seen.type === "claimed") {
      return seen.attempt === seen.fence
        ? once(claimed, seen, "claimed")
        : `${nameOf(seen)} was claimed at fence ${seen.fence}.`;
    }
    if (seen.type !== "finished") return undefined;
    if (!claimed.has(nameOf(seen))) return `${nameOf(seen)} finished without a claim.`;
    if (seen.outputOf !== undefined && seen.outputOf !== seen.attempt) {
      return `${nameOf(seen)} was finished with the output of attempt ${seen.outputOf}.`;
    }
    return once(finished, seen, "finished");
  };
}

function nameOf({ runId, taskId, attempt }: WhoSpends): string {
  return `${runId}/${taskId}#${attempt}`;
}

function once(known: Set<string>, who: WhoSpends, what: string): string | undefined {
  const name = nameOf(who);
  if (known.has(name)) return `${name} was ${what} twice.`;
  known.add(name);
  return undefined;
}
