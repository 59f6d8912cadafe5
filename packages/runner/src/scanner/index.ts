export type {
  BlockedLoopOptions,
  Scanner,
  ScannerKill,
  ScannerOptions,
  ScannerSignal,
  StepOptions,
  Watch,
  WatchOptions,
  WatchVerdict,
} from "./scanner.ts";
