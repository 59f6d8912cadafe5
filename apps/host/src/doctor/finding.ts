import type { Config } from "../config/check-config.ts";
import type { Environment, Variables } from "../config/environment.ts";

/** `act`: something must be done. `note`: worth knowing, nothing to do. */
export type FindingLevel = "ok" | "note" | "act";

export interface Finding {
  /** Stable, for scripts: `price_unknown`, `file_readable_by_others`, … */
  readonly code: string;
  readonly level: FindingLevel;
  /** One sentence. Never holds a secret. */
  readonly finding: string;
  /** What to do; with every `act`. */
  readonly todo?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** What the checks may look at. Configuration and environment are undefined when they are themselves at fault. */
export interface DoctorWorld {
  readonly env: Variables;
  readonly environment: Environment | undefined;
  readonly config: Config | undefined;
  readonly wallMs: number;
}

/**
 * One question about an installation. Checks know nothing of each other and run in any order.
 * Contract: changes nothing, anywhere. May reject: what it says then becomes a finding.
 */
export interface DoctorCheck {
  readonly name: string;
  readonly run: (world: DoctorWorld) => Promise<readonly Finding[]>;
}

export interface CheckedFinding extends Finding {
  /** Name of the check that found it. */
  readonly check: string;
}
