/**
 * The breaker once more, written from the rules as slowly and plainly as possible: every outcome kept, everything
 * recounted, no windows, no generations, no leases but the list of permits that are out. For property tests.
 */
interface Past {
  readonly atMs: number;
  readonly failed: boolean;
}

export interface ReferencePermit {
  readonly episode: number;
  renewedMs: number;
  isOut: boolean;
}

type Phase = "CLOSED" | "OPEN" | "HALF_OPEN";

export class ReferenceBreaker {
  phase: Phase = "CLOSED";
  #sinceMs = Number.NEGATIVE_INFINITY;
  #untilMs = 0;
  #n = 0;
  #cooldownMs = 0;
  #episode = 0;
  #past: Past[] = [];
  #probes: ReferencePermit[] = [];
  #good = 0;
  #hasProbation = false;

  acquire(nowMs: number): ReferencePermit | undefined {
    this.pass(nowMs);
    if (this.phase === "OPEN") return undefined;
    if (this.phase === "HALF_OPEN" && this.#good + this.#out().length >= 2) return undefined;
    const permit = { episode: this.#episode, renewedMs: nowMs, isOut: true };
    if (this.phase === "HALF_OPEN") this.#probes.push(permit);
    return permit;
  }

  renew(permit: ReferencePermit, nowMs: number): boolean {
    this.pass(nowMs);
    if (permit.episode !== this.#episode) return false;
    permit.renewedMs = nowMs;
    return true;
  }

  end(permit: ReferencePermit, what: "success" | "failure" | "giveBack" | "empty", nowMs: number) {
    this.pass(nowMs);
    permit.isOut = false;
    if (permit.episode !== this.#episode || what === "giveBack") return;
    if (this.phase === "HALF_OPEN") {
      if (what === "success") this.#good += 1;
      else return this.#open(nowMs);
      if (this.#good === 2) this.#close(nowMs);
      return;
    }
    this.#past.push({ atMs: nowMs, failed: what === "failure" });
    if (this.#rate(nowMs) || this.#slow() || this.#row() || this.#probation()) this.#open(nowMs);
  }

  /** Time passes: cooldowns end and unrenewed probes fail, each at its own moment. */
  pass(nowMs: number): void {
    for (;;) {
      if (this.phase === "OPEN" && this.#untilMs <= nowMs) {
        this.#begin("HALF_OPEN", this.#untilMs);
        continue;
      }
      const lapse = Math.min(...this.#out().map(({ renewedMs }) => renewedMs + 60_000));
      if (this.phase !== "HALF_OPEN" || lapse > nowMs) return;
      this.#open(lapse);
    }
  }

  waitMs(nowMs: number): number {
    return this.phase === "OPEN" ? this.#untilMs - nowMs : 0;
  }

  #out(): readonly ReferencePermit[] {
    return this.#probes.filter(({ isOut }) => isOut);
  }

  #rate(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000);
    const inside = this.#past.filter(({ atMs }) => second - Math.floor(atMs / 1000) < 60);
    return inside.length >= 10 && failures(inside) * 2 >= inside.length;
  }

  #slow(): boolean {
    const last = this.#past.slice(-10);
    const spanMs = (last.at(-1)?.atMs ?? 0) - (last[0]?.atMs ?? 0);
    if (last.length < 10 || spanMs <= 60_000 || spanMs > 600_000) return false;
    return failures(last) >= 5;
  }

  #row(): boolean {
    return this.#past.length >= 5 && failures(this.#past.slice(-5)) === 5;
  }

  #probation(): boolean {
    return this.#hasProbation && failures(this.#past.slice(0, 5)) >= 2;
  }

  #open(atMs: number): void {
    if (this.phase === "CLOSED" && atMs - this.#sinceMs >= this.#cooldownMs) this.#n = 0;
    this.#n += 1;
    this.#cooldownMs = Math.min(30_000 * 2 ** (this.#n - 1), 600_000);
    this.#untilMs = atMs + this.#cooldownMs;
    this.#begin("OPEN", atMs);
  }

  #close(atMs: number): void {
    this.#hasProbation = true;
    this.#begin("CLOSED", atMs);
  }

  #begin(phase: Phase, atMs: number): void {
    this.phase = phase;
    this.#sinceMs = atMs;
    this.#episode += 1;
    this.#past = [];
    this.#probes = [];
    this.#good = 0;
  }
}

function failures(outcomes: readonly Past[]): number {
  return outcomes.filter(({ failed }) => failed).length;
}
