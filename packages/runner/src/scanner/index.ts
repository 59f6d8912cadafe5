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
export { createLocalScanner, type LocalScannerOptions } from "./create-local-scanner.ts";
export { createScanner } from "./create-scanner.ts";
