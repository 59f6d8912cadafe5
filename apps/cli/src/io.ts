/** What a command touches outside: passed in, so that tests see and steer it. */
export interface Io {
  /** Results. */
  out(text: string): void;
  /** Progress, hints and errors: whoever pipes the result does not get them. */
  err(text: string): void;
  /** Whether `err` is a terminal that understands cursor movements. */
  readonly isTerminal: boolean;
  readonly hasColor: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly fetch: typeof globalThis.fetch;
  /** Contract: called for SIGINT (Ctrl-C) in the order they come; returns how to stop listening. */
  onInterrupt(handler: () => void): () => void;
  /** As `onInterrupt`, for SIGTERM and SIGHUP. */
  onTerminate(handler: () => void): () => void;
  /** Ends the process at once, children by their lifelines. */
  exitNow(code: number): void;
  readText(path: string): Promise<string>;
}
