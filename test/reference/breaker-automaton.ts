/** A breaker as slow and plain as its rules (BR-3, BR-6, BR-8 to BR-12): every outcome kept, everything recounted. */
import { outcomesOpen, totalsOf } from "./window-filter.ts";
import type { Outcome } from "./window-filter.ts";

type Phase = "CLOSED" | "OPEN" | "HALF_OPEN" | "FORCED_OPEN";
export type AutomatonPermit = { renewedMs: number };

/** A generation. What was admitted in an earlier one is not `out` in this one, so its result has no effect. */
function episode(phase: Phase, sinceMs: number, untilMs = Infinity) {
  return { phase, sinceMs, untilMs, outcomes: [] as Outcome[], out: new Set<AutomatonPermit>() };
}

export class BreakerAutomaton {
  protected episode = episode("CLOSED", -Infinity);
  protected openings = 0;
  protected cooldownMs = 0;

  /** Time passes: cooldowns end and unrenewed probes fail, each at its own moment. */
  at(nowMs: number): ReturnType<typeof episode> {
    const { phase, untilMs, out } = this.episode;
    const lapses = phase === "HALF_OPEN" ? [...out].map(({ renewedMs }) => renewedMs + 60_000) : [];
    const dueMs = Math.min(untilMs, ...lapses);
    if (dueMs > nowMs) return this.episode;
    if (phase === "HALF_OPEN") this.open(dueMs);
    else this.episode = episode("HALF_OPEN", dueMs);
    return this.at(nowMs);
  }

  acquire(nowMs: number): AutomatonPermit | undefined {
    const { phase, outcomes, out } = this.at(nowMs);
    const isFull = phase === "HALF_OPEN" && outcomes.length + out.size >= 2;
    if (phase === "OPEN" || phase === "FORCED_OPEN" || isFull) return undefined;
    const permit = { renewedMs: nowMs };
    out.add(permit);
    return permit;
  }

  renew(permit: AutomatonPermit, nowMs: number): boolean {
    const isCurrent = this.at(nowMs).out.has(permit);
    permit.renewedMs = nowMs;
    return isCurrent;
  }

  /** `empty`: nothing was completed, which only a probe fails by. */
  end(permit: AutomatonPermit, how: "success" | "failure" | "empty" | "giveBack", nowMs: number) {
    const { phase, outcomes, out } = this.at(nowMs);
    if (!out.delete(permit) || how === "giveBack") return;
    const failed = how === "failure" || (how === "empty" && phase === "HALF_OPEN");
    outcomes.push({ atMs: nowMs, failed });
    if (phase === "HALF_OPEN" ? failed : this.mustOpen(nowMs)) return this.open(nowMs);
    if (phase === "HALF_OPEN" && outcomes.length === 2) this.episode = episode("CLOSED", nowMs);
  }

  /** By a person, and probed afterwards; nothing from before decides after it. */
  forceOpen(nowMs: number, forMs: number): void {
    this.at(nowMs);
    [this.openings, this.cooldownMs] = [0, 0];
    this.episode = episode("FORCED_OPEN", nowMs, nowMs + forMs);
  }

  /** The first five calls after a recovery open it at two failures. */
  protected mustOpen(nowMs: number): boolean {
    const { outcomes, sinceMs } = this.episode;
    const isRelapse = sinceMs > -Infinity && totalsOf(outcomes.slice(0, 5)).failures >= 2;
    return isRelapse || outcomesOpen(outcomes, nowMs);
  }

  protected open(atMs: number): void {
    const { phase, sinceMs } = this.episode;
    if (phase === "CLOSED" && atMs - sinceMs >= this.cooldownMs) this.openings = 0;
    this.cooldownMs = Math.min(30_000 * 2 ** this.openings++, 600_000);
    this.episode = episode("OPEN", atMs, atMs + this.cooldownMs);
  }
}
