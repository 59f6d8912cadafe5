export interface MutatedPackage {
  readonly name: string;
  /** Below `src`. */
  readonly files: readonly string[];
  /** Lowest share of mutants, in percent, that its own tests must find. */
  readonly floor: number;
  /** Tests that cost more CPU than this are not asked about a mutant (milliseconds, unmutated); default: all are. */
  readonly mostTestMs?: number;
}

/** Packages that decide and do nothing else. Where only some files decide, those are named: schemas and tables have no say. */
export const mutatedPackages: readonly MutatedPackage[] = [
  { name: "watchdog", files: ["**/*.ts"], floor: 85 },
  // One property drives two sets of breakers through thousands of calls.
  { name: "breaker", files: ["**/*.ts"], floor: 85, mostTestMs: 500 },
  { name: "budget", files: ["*.ts"], floor: 85 },
  // Its properties play three hundred whole runs.
  { name: "dag", files: ["**/*.ts"], floor: 85, mostTestMs: 100 },
  { name: "kernel", files: ["*.ts"], floor: 85 },
  {
    name: "protocol",
    files: [
      "amounts.ts",
      "bridle-error.ts",
      "duration.ts",
      "envelope-terms.ts",
      "guard-ranges.ts",
      "outer-scope.ts",
      "parse-usd.ts",
      "plain-data.ts",
      "run-clock.ts",
      "secret-forms.ts",
      "spawned-ids.ts",
      "states.ts",
      "to-messages.ts",
    ],
    floor: 85,
  },
  {
    name: "llm",
    files: ["class-rules.ts", "classify.ts", "decide.ts", "judge-attempt.ts", "retry-after.ts"],
    floor: 85,
  },
];
