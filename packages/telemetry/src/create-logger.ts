/**
 * The one place where pino is named. Owns how a line is written; what is worth one is decided elsewhere.
 *
 * 1. Nothing leaves unredacted: message, fields, bindings of children, errors and their causes (B199).
 * 2. One call is one line. Newlines, escape sequences and the like in any text are escaped, and no field can pass itself
 *    off as the line's own level, time or message (B200).
 * 3. Logging never throws and never waits for a slow reader: lines beyond 16 MiB of backlog are dropped.
 */
import type { Clock } from "@bridle/kernel";
import type { LogFields, Logger } from "@bridle/ports";
import { pino } from "pino";
import type { Logger as Pino } from "pino";

import { createRedactor } from "./create-redactor.ts";
import type { Redactor } from "./create-redactor.ts";
import { inertLine } from "./inert-line.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Contract: takes one finished line, newline included; does not block. */
export interface LogDestination {
  write(line: string): void;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly clock: Clock;
  /** Default: standard error, so that standard output stays a program's own. Written out at exit. */
  readonly destination?: LogDestination | undefined;
  /** Default: one that knows names and shapes of secrets but no values. Share it with whoever learns of secrets. */
  readonly redactor?: Redactor | undefined;
}

const backlogBytes = 16 * 1024 * 1024;
/** Names that a line has itself. */
const ownNames = new Set(["level", "time", "msg"]);

class PinoLogger implements Logger {
  readonly #pino: Pino;
  readonly #redactor: Redactor;

  constructor(line: Pino, redactor: Redactor) {
    this.#pino = line;
    this.#redactor = redactor;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write("debug", message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write("info", message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write("error", message, fields);
  }

  child(fields: LogFields): Logger {
    return new PinoLogger(this.#pino.child(this.#clean(fields)), this.#redactor);
  }

  #write(level: "debug" | "info" | "warn" | "error", message: string, fields: LogFields = {}) {
    if (!this.#pino.isLevelEnabled(level)) return;
    try {
      this.#pino[level](this.#clean(fields), this.#redactor.text(message));
    } catch {
      // A destination that throws must not end what was only talking about its work (3).
    }
  }

  #clean(fields: LogFields): Record<string, unknown> {
    // Safe: a copy of a record is a record, or the words that it could not be read.
    const clean = this.#redactor.value({ ...fields }) as Record<string, unknown>;
    const named = Object.entries(clean).map(([name, value]) => [
      ownNames.has(name) ? `_${name}` : name,
      value,
    ]);
    return Object.fromEntries(named) as Record<string, unknown>;
  }
}

/** A logger that writes one line of JSON per call: `level`, `time` (ISO 8601), fields, `msg`. */
export function createLogger(options: LoggerOptions): Logger {
  const { level, clock, redactor = createRedactor(), destination = standardError() } = options;
  const settings = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date(clock.wallMs()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const lines = { write: (line: string) => destination.write(inertLine(line)) };
  return new PinoLogger(pino(settings, lines), redactor);
}

function standardError(): LogDestination {
  const stream = pino.destination({ dest: 2, sync: false, maxLength: backlogBytes });
  // A reader that went away is no reason to stop the work.
  stream.on("error", () => undefined);
  return { write: (line) => void stream.write(line) };
}
