import { SimulatedClock } from "@bridle/kernel/testing";
import type { Logger } from "@bridle/ports";

import { createLogger } from "../src/index.ts";
import type { LoggerOptions } from "../src/index.ts";

export interface Written {
  readonly logger: Logger;
  /** Lines as they leave, newline included. */
  readonly raw: string[];
  readonly lines: () => readonly Record<string, unknown>[];
}

/** A logger that writes into memory, at debug. */
export function written(options: Partial<LoggerOptions> = {}): Written {
  const raw: string[] = [];
  const logger = createLogger({
    level: "debug",
    clock: new SimulatedClock(),
    destination: { write: (line) => raw.push(line) },
    ...options,
  });
  return {
    logger,
    raw,
    lines: () => raw.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
