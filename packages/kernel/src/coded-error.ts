/** What a row of an error table says about one code. */
export interface ErrorRow {
  readonly message: string;
  readonly retryable: boolean;
  readonly status: number;
}

export interface CodedErrorOptions {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** HTTP status an API answers with. */
  readonly status: number;
  /** JSON-safe facts: the offending value, the limit, the pointer. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
}

/**
 * An error that is part of the interface: a stable code, and whether trying again can help, decided where it is born.
 * Throw one for broken promises and broken worlds; expected outcomes are values.
 */
export class CodedError extends Error {
  override readonly name = "CodedError";
  readonly code: string;
  readonly retryable: boolean;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(options: CodedErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.retryable = options.retryable;
    this.status = options.status;
    this.details = options.details ?? {};
  }

  /** Structural, so that two copies of this package still recognise each other's errors. */
  static is(value: unknown): value is CodedError {
    return (
      value instanceof Error &&
      value.name === "CodedError" &&
      typeof (value as { code?: unknown }).code === "string"
    );
  }
}
