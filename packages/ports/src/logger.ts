/** Plain values; a logger redacts and escapes, so callers pass what they have. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Where lines for people and machines go. Messages are short constants, everything that varies is a field.
 * Contract: never throws, never blocks on a slow reader, redacts secrets before anything leaves.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger whose lines all carry `fields`. */
  child(fields: LogFields): Logger;
}
