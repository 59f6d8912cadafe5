import { after, elapsed, shiftOf, VerdictScan } from "@bridle/watchdog";
import type { GuardMode, Verdict, WatchColumns } from "@bridle/watchdog";

import { hasInline, KillDesk, loopTurnsOf } from "./kill-orders.ts";
import type { DueKill, KillOrders } from "./kill-orders.ts";

/** Everything the scanning side needs to know; plain data, so that it can be handed to a thread. */
export interface DutyConfig {
  readonly slots: number;
  readonly periodMs: number;
  readonly answerWithinMs: number;
  readonly mode: GuardMode;
  /** A loop blocked for so long by an inline task ends the process; undefined: never. */
  readonly blockedAfterMs: number | undefined;
}

export interface DutyReport {
  readonly gapMs: number;
  /** Set once, when the main loop turns again. */
  readonly lagMs: number;
  readonly verdicts: readonly Verdict[];
  readonly kills: readonly DueKill[];
  /** How long an inline task has blocked the main loop, once that is too long. */
  readonly blockedMs: number | undefined;
}

/**
 * One turn of the scanner, in a thread or not: scans, watches the main loop, and says which groups must be killed now.
 * Does nothing itself.
 *
 * SD-1 A kill is due only for an enforced verdict or an order that stayed unanswered, and only while its watch is open.
 * SD-2 The time in which the scanner itself was not run is no lag of the main loop. But until the loop has turned after
 *      it, the loop counts as held: its beats may still be waiting (B107).
 */
export class ScanDuty {
  readonly #columns: WatchColumns;
  readonly #orders: KillOrders;
  readonly #config: DutyConfig;
  readonly #scan: VerdictScan;
  readonly #desk: KillDesk;
  #loopTurns = -1;
  #turnedAt = 0;
  #lagMs = 0;
  /** After a gap nobody knows what the main loop has missed, until it turns. */
  #isHeld = false;

  constructor(columns: WatchColumns, orders: KillOrders, config: DutyConfig) {
    this.#columns = columns;
    this.#orders = orders;
    this.#config = config;
    this.#scan = new VerdictScan({ columns, periodMs: config.periodMs, mode: config.mode });
    this.#desk = new KillDesk(columns, orders, config.answerWithinMs);
  }

  /** `passed`: the table clock's time with gaps. */
  turn(passed: number): DutyReport {
    const lagBeforeMs = this.#lagMs;
    const overMs = this.#watchLoop(after(passed, -shiftOf(this.#columns)));
    const isLagging = this.#isHeld || this.#lagMs > 0;
    const { gapMs, verdicts } = this.#scan.run(passed, isLagging);
    const now = after(passed, -shiftOf(this.#columns));
    if (gapMs > 0) {
      this.#lagMs = overMs > 0 ? 0 : lagBeforeMs;
      this.#turnedAt = after(now, -this.#lagMs);
      this.#isHeld = true;
    }
    for (const verdict of verdicts) {
      if (verdict.would === undefined && verdict.kind !== "wait_expired") {
        this.#desk.expectAnswer(verdict, now);
      }
    }
    const kills = this.#desk.due(now);
    return { gapMs, lagMs: overMs, verdicts, kills, blockedMs: this.#blockedMs() };
  }

  /** Keeps the length of the current lag; returns that of one that has just ended. */
  #watchLoop(now: number): number {
    const turns = loopTurnsOf(this.#orders);
    if (turns !== this.#loopTurns) {
      const overMs = this.#lagMs;
      this.#loopTurns = turns;
      this.#turnedAt = now;
      this.#lagMs = 0;
      this.#isHeld = false;
      return overMs;
    }
    const stillMs = elapsed(now, this.#turnedAt);
    this.#lagMs = stillMs > 2 * this.#config.periodMs ? stillMs : 0;
    return 0;
  }

  #blockedMs(): number | undefined {
    const { blockedAfterMs } = this.#config;
    if (blockedAfterMs === undefined || this.#lagMs < blockedAfterMs) return undefined;
    return hasInline(this.#orders) ? this.#lagMs : undefined;
  }
}
