import type { Reason } from "./reason.ts";
import { compilerReasons } from "./survivors-compiler.ts";
import { engineReasons } from "./survivors-engine.ts";
import { everydayCallReasons } from "./survivors-everyday-calls.ts";

export const reasons: readonly Reason[] = [
  {
    package: "watchdog",
    reason: "Both ways end in the same answer.",
    mutants: [
      // Anything but "waiting" is compared alike; and every mode but "off" and "warn" enforces.
      'due-clocks.ts: only: "",',
      'watchdog.ts: const { clock, slots = 1024, periodMs = 1000, mode = "" } = options;',
      // Another hash, the same for the same text.
      "hash-text.ts: for (let index = 0; index <= text.length; index++) {",
      // Zero is not a token: remembering it moves the ring by one place and forgets nothing sooner.
      "judge-beat.ts: if (true) remember(columns, slot, token);",
      // Only names of two drawers.
      'loop-detector.ts: return this.#once("", …',
      // A row has at least one call once there is a last one.
      "loop-rows.ts: if (true) this.#repeats += 1;",
      "loop-rows.ts: if (this.#repeats >= 0) this.#repeats += 1;",
      // A timeout is raised only with a hundred samples, and then the last hundred calls are full.
      "step-timeouts.ts: true &&",
      // Within WD-8's clamps three times the P95 is always more than the P95 and the margin.
      "step-timeouts.ts: const wantedMs = Math.max(this.#multiplier * p95, p95 - marginMs);",
      // Two scans are no longer in a row, whichever way the count jumps.
      "suspicions.ts: this.#scan -= 1;",
      "table-time.ts: return elapsed(left, right) < 0 ? left : right;",
      // Looking for cycles again finds the same ones.
      "watches.ts: if (true) this.#findCycle(id);",
      'watches.ts: if (outcome !== "stale" || …',
      "watches.ts: if (true && (wait …",
      'watches.ts: if (outcome !== "" && …',
      'watches.ts: if (outcome !== "stale" && (true)) …',
      'watches.ts: const before = this.#cycles.get(id) ?? ["Stryker was here"];',
    ],
  },
  {
    package: "watchdog",
    reason: "It asks for what cannot be missing there, because the types cannot say so.",
    mutants: [
      'judge-beat.ts: const name = remembered[(count >>> 0) % remembered.length] ?? "";',
      'loop-detector.ts: return pattern === "text" || false',
      "loop-rows.ts: return this.#last.tool === asked.tool && !this.#isElsewhere(asked);",
      "suspicions.ts: const seen = this.#suspects.get(slot).seen.get(kind);",
      "suspicions.ts: if (true) seen.isReported = true;",
      "suspicions.ts: return this.#suspects.get(slot)?.seen.get(kind).isReported === true;",
      "suspicions.ts: return this.#suspects.get(slot).seen.get(kind)?.isReported === true;",
      "suspicions.ts: if (true) suspect.isCondemned = true;",
      "wait-cycle.ts: while (true && !visited.has(id)) {",
      "watches.ts: if (true) {",
      "watches.ts: const slot = this.#byId.get(id).ref.slot;",
      "watches.ts: if (false || !isWaiting(…",
    ],
  },
  {
    package: "watchdog",
    reason: "It saves time or memory and decides nothing.",
    mutants: [
      "asked-places.ts: if (true) values.add(value);",
      "asked-places.ts: if (values.size <= mostRemembered) values.add(value);",
      "suspicions.ts: if (false) return;",
      "verdict-scan.ts: if (false) continue;",
      "verdict-scan.ts: if (true) (verdicts ??= []).push(...found);",
      "verdict-scan.ts: if (found.length >= 0) (verdicts ??= []).push(...found);",
      "watches.ts: if (true) this.#byHash.delete(hashText(id));",
      "watches.ts: if (false) this.#byHash.delete(hashText(id));",
      "watches.ts: if (this.#byHash.get(hashText(id)) !== watch) this.#byHash.delete(hashText(id));",
    ],
  },
  {
    package: "breaker",
    reason: "Both ways end in the same answer.",
    mutants: [
      // A kind is only ever compared with the kinds that are treated otherwise, and an event that is none of two is the third.
      'breaker-cell.ts: #callPermit: CellPermit = { admitted: true, generation: 0, kind: "", probe: 0 };',
      'breaker-cell.ts: return { ...this.#callPermit, kind: "" };',
      'breaker-cell.ts: this.#report({ type: "", atMs });',
      'held-permit.ts: unit: isCall ? "call" : "",',
      'operated-cell.ts: type: "",',
      'operated-cell.ts: if (wasBlocking) this.#tell({ type: "", …',
      // Where nobody failed no name is told.
      'route-outcome.ts: return routed("none", "");',
      // A Retry-After of nothing moves no cooldown.
      'breaker-cell.ts: if (end.verdict !== "failure" || false) return;',
      'breaker-cell.ts: if (end.verdict !== "failure" || end.retryAfterMs < 0) return;',
      // Generations are compared for being the same, not for their order.
      "breaker-cell.ts: this.#callPermit = { ...this.#callPermit, generation: this.#callPermit.generation - 1 };",
      // A field that is absent, and one that is there and undefined.
      "breaker-event.ts: ...(false ? {} : …",
      "transition-teller.ts: const teller = false ? {} : { bootId };",
      "held-permit.ts: failureKind: false ? undefined : outcome.failureKind,",
      'held-permit.ts: failureKind: typeof outcome === "" ? undefined : outcome.failureKind,',
      // A source is asked for below an umbrella only, and the first is told by the count.
      'breaker-registry.ts: insert(asked, { entry, source: "Stryker was here!" });',
      'consecutive-failures-trigger.ts: #firstSource = "Stryker was here!";',
      'failing-sources.ts: #newest = "Stryker was here!";',
      'failing-sources.ts: this.#newest = "Stryker was here!";',
      'slow-failure-rate-trigger.ts: this.#sources = options.isUmbrella ? ["Stryker was here"] : undefined;',
      // Nothing added to nothing, and ending what is empty.
      "evidence.ts: if (true) all = [...(all ?? []), ...hits];",
      "evidence.ts: if (hits.length >= 0) all = [...(all ?? []), ...hits];",
      // Every roll writes all of them.
      "ring-window.ts: readonly #evicted = {};",
      // Equal values may stand in either order; the first place is written before it is read.
      "running-median.ts: for (let left = this.#sorted[place - 1]; left !== undefined && left >= value;) {",
      "running-median.ts: for (let right = this.#sorted[place + 1]; right !== undefined && right <= value;) {",
      'running-median.ts: readonly #byAge: number[] = ["Stryker was here"];',
      "running-median.ts: const isFull = true;",
      "probe-slots.ts: if (first === undefined || lapse <= first) first = lapse;",
    ],
  },
  {
    package: "breaker",
    reason: "It asks for what cannot be missing there, because the types cannot say so.",
    mutants: [
      "breaker-cell.ts: for (let due = this.dueMs; true && due <= nowMs; due = this.dueMs) {",
      'breaker-cell.ts: if (permit.kind !== "probe" || false) return true;',
      "breaker-cell.ts: if (false) return;",
      "breaker-registry.ts: for (let index = asked.length + 1; index >= 0; index -= 1) {",
      "breaker-registry.ts: if (other.entry === one.entry) return;",
      "breaker-registry.ts: if (other !== undefined || other.entry.parsed.rank > one.entry.parsed.rank) place = index;",
      "breaker-registry.ts: if (true && other.entry.parsed.rank > one.entry.parsed.rank) place = index;",
      "evidence.ts: return this.#burn.probeLimit ?? Number.POSITIVE_INFINITY;",
      "operated-cell.ts: if (untilMs === undefined && !Number.isFinite(untilMs)) return dueMs;",
      "operated-cell.ts: if (false || !Number.isFinite(untilMs)) return dueMs;",
      "running-median.ts: for (let left = this.#sorted[place - 1]; true && left > value;) {",
      "running-median.ts: for (let right = this.#sorted[place + 1]; true && right < value;) {",
    ],
  },
  {
    package: "breaker",
    reason:
      "A second check stands behind it: what is not to be judged is also of no generation that counts.",
    mutants: [
      "breaker-set.ts: const notJudged: CellPermit = { admitted: false, …",
      "breaker-set.ts: const notJudged: CellPermit = { admitted: true, generation: +1, …",
      "operated-cell.ts: const unjudged: CellPermit = {…",
      "operated-cell.ts: else if (true) this.#cell.record(permit, end);",
      'operated-cell.ts: else if (forced !== "") this.#cell.record(permit, end);',
      "operated-cell.ts: return false || this.#cell.renew(permit, nowMs);",
      'operated-cell.ts: return permit.kind === "" || this.#cell.renew(permit, nowMs);',
      "operated-cell.ts: if (false) return unjudged;",
      'operated-cell.ts: if (override?.forcing.state === "") return unjudged;',
    ],
  },
  {
    package: "breaker",
    reason: "It saves time or memory and decides nothing.",
    mutants: [
      "breaker-registry.ts: if (true) this.#sweep(nowMs);",
      "breaker-registry.ts: if (this.#entries.size < this.#sweepAbove) this.#sweep(nowMs);",
      "breaker-registry.ts: this.#sweepAbove = …",
      "governor.ts: field.sweepAbove = …",
      "operated-cell.ts: if (false) return noTransitions;",
      "running-median.ts: if (false) return;",
      "sliding-limit.ts: this.#capacity = Math.max(...limits.map(() => undefined));",
      "sliding-limit.ts: if (false) this.#instants.shift();",
      "sliding-limit.ts: if (this.#instants.length > this.#capacity) this.#instants.shift();",
      "transition-teller.ts: if (false || this.#isClosed) return;",
    ],
  },
  {
    package: "breaker",
    reason:
      "A gap, small: no test here stands on exactly this call, second or token, or on this order of keys.",
    mutants: [
      "breaker-cell.ts: this.#isBurning = true;",
      "breaker-entry.ts: return isIdle && this.cell.forcing === undefined && true;",
      "breaker-entry.ts: machine.evidence.roll(nowMs, …",
      "breaker-registry.ts: if (true) place = index;",
      "breaker-registry.ts: if (other !== undefined && true) place = index;",
      "breaker-registry.ts: if (other !== undefined && other.entry.parsed.rank >= one.entry.parsed.rank) place = index;",
      "burn-trigger.ts: …",
      "transition-teller.ts: if (true) this.#events.push(event);",
    ],
  },
  {
    package: "budget",
    reason: "Both ways end in the same answer.",
    mutants: [
      // `fenced` is told before anything is ranked, and `closed` is the worst of what is left also where it is not found.
      'admission.ts: "",',
      // Who has no envelope is refused before anybody looks at the line.
      'budget.ts: const levels = pathOf(this.#state, ask.taskId)?.map(({ name }) => name) ?? ["Stryker was here"];',
      // The listener is taken away at the end of the wait in any case.
      'budget.ts: signal?.addEventListener("abort", onAbort, …',
      // Only the other kinds are treated otherwise.
      'budget.ts: #request({ taskId, attempt, step, amounts, kind = "" }: Ask) {',
      // Least squares over steps whose distances add up to zero: the mean falls out.
      "burn-board.ts: const mean = …",
      "burn-board.ts: over += (index - middle) * (value + mean);",
      "burn-board.ts: over += (index + middle) * (value - mean);",
      "estimate-factor.ts: const factorMilli = target > state.factorMilli ? target : fallen(next, target);",
      "estimate-factor.ts: return Number(scaled >= most ? most : scaled);",
      "price.ts: return Number(nanoUsd >= most ? most : nanoUsd);",
      'estimate-tokens.ts: let before = "Stryker was here!";',
      "estimate-tokens.ts: for (let index = 0; index <= text.length; index += 1) {",
      "ladder.ts: return false ? { rung } : { rung, unavailable };",
    ],
  },
  {
    package: "budget",
    reason: "It asks for what cannot be missing there, because the types cannot say so.",
    mutants: [
      'hold-endings.ts: return pathOf(state, hold.taskId) ?? ["Stryker was here"];',
      'hold-moves.ts: for (const { record } of path ?? ["Stryker was here"]) …',
      'hold-moves.ts: (pathOf(state, hold.taskId) ?? ["Stryker was here"]).every(…',
      "envelope-moves.ts: const index = causes?.indexOf(input.cause) …",
      "envelope-moves.ts: if (index >= 0) causes.splice(index, 1);",
    ],
  },
  {
    package: "budget",
    reason:
      "A fitted figure or group of characters: whatever keeps the corpus between the true count and 1.6 times it (BU-15) is as right.",
    mutants: [
      "text-runs.ts: …",
      "estimate-tokens.ts: openai_older: {},",
      'estimate-tokens.ts: openai_older: { encoding: "", marginPercent: 105 },',
      'estimate-tokens.ts: gemini: { encoding: "", marginPercent: 115 },',
      'estimate-tokens.ts: anthropic: { encoding: "", marginPercent: 125 },',
      'estimate-tokens.ts: other: { encoding: "", marginPercent: 125 },',
    ],
  },
  {
    package: "budget",
    reason: "A gap, small: newer than the tests that would stand on it.",
    mutants: [
      "burn-board.ts: expected += burnWindowMs;",
      "burn-board.ts: return found?.charged ?? {};",
      'estimate-tokens.ts: export function encodingOf(family: ModelFamily = "…',
      'estimate-tokens.ts: family: ModelFamily = "",',
      "estimate-tokens.ts: ): TokenEstimate {}",
      "input-calibration.ts: const isTooLow = ratioMilli >= state.scaleMilli;",
      "settlement.ts: return false ? undefined : Math.max(bound, floor);",
      'token-usage.ts: cacheWriteTokens: fields.within(inputDetails, ""),',
      "token-usage.ts: const output = isUnsaid ? undefined : (candidates ?? 0) - (thoughts ?? 0);",
      'token-usage.ts: outputTokens: restOf(fields.count(""), input, output),',
      "token-usage.ts: if (total === undefined || false || output === undefined) return output;",
      "usage-fields.ts: if (false) return undefined;",
      "usage-fields.ts: if (true && Number.isSafeInteger(value) && value >= 0) return value;",
      'usage-fields.ts: if (typeof value === "string") return value;',
    ],
  },
  {
    package: "kernel",
    reason: "Both ways end in the same answer.",
    mutants: [
      // Until it is full, what comes after the newest is empty.
      "ring-buffer.ts: if (false) return [...this.#values];",
      // Each round begins by setting it.
      "single-flight.ts: #again = true;",
    ],
  },
  {
    package: "protocol",
    reason: "Both ways end in the same answer.",
    mutants: [
      // Without a limit of its own a key has none, whichever way.
      "envelope-terms.ts: return false ? noCap : limitOf(perDay, noCap);",
      'envelope-terms.ts: return perDay === "" ? noCap : limitOf(perDay, noCap);',
      "envelope-terms.ts: if (true && nanoUsd > 0 && Number.isSafeInteger(nanoUsd)) return nanoUsd;",
      // Where nothing matches there is no group either.
      'parse-usd.ts: const [, whole, fraction = ""] = decimal.exec(text) ?? ["Stryker was here"];',
      'parse-usd.ts: const [, first, rest = "", zeros] = …',
      // Bytes of nothing are zeros.
      "secret-forms.ts: const bytes = [...Array.from({ length: offset }, () => undefined), ...bytesOf(secret)];",
    ],
  },
  {
    package: "protocol",
    reason: "It asks for what cannot be missing there, because the types cannot say so.",
    mutants: [
      'duration.ts: totalMs += Number(amount) * (unitMs[unit ?? "Stryker was here!"] ?? Number.NaN);',
      'plain-data.ts: const [line = "Stryker was here!"] = …',
    ],
  },
  {
    package: "llm",
    reason: "Both ways end in the same answer.",
    mutants: [
      // No table and no list has undefined in it.
      "classify.ts: if (false || !rule.statuses.includes(status)) return false;",
      "classify.ts: return true && Object.hasOwn(table, key) ? table[key] : undefined;",
      // What is absent is no number.
      "retry-after.ts: if (true && plainNumber.test(inMs)) return usable(Number(inMs));",
      'retry-after.ts: const value = header(headers, "retry-after") ?? "Stryker was here!";',
    ],
  },
  ...compilerReasons,
  ...engineReasons,
  ...everydayCallReasons,
];
