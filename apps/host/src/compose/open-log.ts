import { randomBytes } from "node:crypto";

import type { Bus } from "@bridle/bus";
import { systemClock } from "@bridle/kernel/system";
import type { Logger } from "@bridle/ports";
import { createLogger, createRedactor, logEvents } from "@bridle/telemetry";
import type { LogLevel } from "@bridle/telemetry";

export interface OpenLog {
  readonly log: Logger;
  /** From now on this value is left out of every line. */
  hide(secret: string): void;
  /** A JSON-safe copy without secrets. */
  redact(value: unknown): unknown;
  /** Every event of the bus becomes a line. */
  listen(bus: Bus): () => void;
}

/** The process's log on standard error. */
export function openLog(level: LogLevel): OpenLog {
  const redactor = createRedactor();
  const log = createLogger({ level, clock: systemClock, redactor });
  return {
    log,
    hide: (secret) => redactor.add(secret),
    redact: (value) => redactor.value(value),
    listen: (bus) =>
      logEvents({ bus, logger: log, processTraceId: randomBytes(16).toString("hex") }),
  };
}
