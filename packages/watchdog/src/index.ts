export { graceMs, gracePerTaskMs, Watches } from "./watches.ts";
export type { OpenWatch, WatchStep, WatchTask } from "./watches.ts";
export { initialLadder, ladderDefaults, reduceLadder } from "./kill-ladder.ts";
export type {
  Ladder,
  LadderConfig,
  LadderEffect,
  LadderEvent,
  LadderStage,
} from "./kill-ladder.ts";
export { LoopDetector } from "./loop-detector.ts";
export type { LoopFinding, LoopReaction, LoopText } from "./loop-detector.ts";
export type { LoopCall } from "./loop-rows.ts";
export { defaultLoopThresholds, loopPatterns } from "./loop-thresholds.ts";
export type { LoopPattern, LoopThresholds, Rungs } from "./loop-thresholds.ts";
export {
  initialRunClock,
  isRunActive,
  reduceRunClock,
  selectRunDeadline,
  waitLimitsMs,
} from "@bridle/protocol";
export type { LiveTask, RunClock, RunClockEvent } from "@bridle/protocol";
export { StepTimeouts } from "./step-timeouts.ts";
export type {
  FinishedCall,
  StepTimeout,
  StepTimeoutsOptions,
  TimedKind,
  TimeoutRaise,
} from "./step-timeouts.ts";
export { TableClock } from "./table-clock.ts";
export { after, durationOf, elapsed, instantOf, isReached } from "./table-time.ts";
export { VerdictScan } from "./verdict-scan.ts";
export type { ScanReport, VerdictScanOptions } from "./verdict-scan.ts";
export type {
  BeatOutcome,
  Finding,
  GuardMode,
  Layer,
  StepKind,
  Verdict,
  VerdictKind,
} from "./verdict.ts";
export { waitCycle } from "./wait-cycle.ts";
export { highWaterOf, shiftOf, watchColumns, watchTableBytes } from "./watch-columns.ts";
export type { WatchColumns } from "./watch-columns.ts";
export { WatchTable } from "./watch-table.ts";
export type { SlotBeat, SlotClocksMs, SlotRef, SlotStep } from "./watch-table.ts";
export { Watchdog } from "./watchdog.ts";
export type { WatchdogEvent, WatchdogOptions } from "./watchdog.ts";
