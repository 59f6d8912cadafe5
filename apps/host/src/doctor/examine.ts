/**
 * Looks an installation over without starting or changing it: configuration, prices, secrets, store, files, versions.
 *
 * D1. Checks are a list. One that fails says so as a finding, and the others are heard all the same.
 * D2. What cannot be examined because something else is at fault is left out: the fault stands once.
 */
import { CodedError } from "@bridle/kernel";
import { systemClock } from "@bridle/kernel/system";

import type { Config } from "../config/check-config.ts";
import { readEnvironment } from "../config/environment.ts";
import type { Environment, Variables } from "../config/environment.ts";
import { loadConfig } from "../config/load-config.ts";
import { filesCheck } from "./files-check.ts";
import type { CheckedFinding, DoctorCheck, DoctorWorld, Finding } from "./finding.ts";
import { pricesCheck } from "./prices-check.ts";
import { secretsCheck } from "./secrets-check.ts";
import { storeCheck } from "./store-check.ts";
import { transportCheck } from "./transport-check.ts";
import { versionsCheck } from "./versions-check.ts";
import { webhooksCheck } from "./webhooks-check.ts";

export interface ExamineOptions {
  readonly env: Variables;
  /** Where the configuration is looked for. */
  readonly folder: string;
  readonly configPath?: string | undefined;
  readonly checks?: readonly DoctorCheck[] | undefined;
}

export interface Examination {
  /** Nothing must be done. */
  readonly healthy: boolean;
  readonly findings: readonly CheckedFinding[];
}

const doctorChecks: readonly DoctorCheck[] = [
  versionsCheck,
  filesCheck,
  storeCheck,
  secretsCheck,
  pricesCheck,
  webhooksCheck,
  transportCheck,
];

export async function examine(options: ExamineOptions): Promise<Examination> {
  const [world, faults] = await readWorld(options);
  const checks = options.checks ?? doctorChecks;
  const found = await Promise.all(checks.map(async (check) => findingsOf(check, world)));
  const findings = [...faults, ...found.flat()];
  return { healthy: findings.every(({ level }) => level !== "act"), findings };
}

async function readWorld({
  env,
  folder,
  configPath,
}: ExamineOptions): Promise<readonly [DoctorWorld, readonly CheckedFinding[]]> {
  const findings: CheckedFinding[] = [];
  const told = (finding: Finding): void =>
    void findings.push({ check: "configuration", ...finding });
  let environment: Environment | undefined;
  let config: Config | undefined;
  try {
    environment = readEnvironment(env);
    const loaded = await loadConfig(folder, configPath ?? environment.configPath);
    ({ config } = loaded);
    const finding =
      loaded.path === undefined ? "There is no configuration file." : `${loaded.path} is valid.`;
    told({ code: "config_valid", level: "ok", finding });
  } catch (error) {
    told(faultOf(error, "Correct it; every fault is listed with its name."));
  }
  return [{ env, environment, config, wallMs: systemClock.wallMs() }, findings];
}

async function findingsOf(
  { name, run }: DoctorCheck,
  world: DoctorWorld,
): Promise<readonly CheckedFinding[]> {
  const findings = await run(world).catch((error: unknown) => [faultOf(error, undefined)]);
  return findings.map((finding) => Object.assign({ check: name }, finding));
}

function faultOf(error: unknown, todo: string | undefined): Finding {
  const { message } = error as Error;
  const code = CodedError.is(error) ? error.code : "check_failed";
  return {
    code,
    level: "act",
    finding: message,
    todo: todo ?? "Correct what it says, and ask again.",
  };
}
