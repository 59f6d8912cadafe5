export type {
  BeatOutcome,
  Finding,
  GuardMode,
  Layer,
  StepKind,
  Verdict,
  VerdictKind,
} from "./verdict.ts";
