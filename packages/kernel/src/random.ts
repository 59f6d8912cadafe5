/** The only source of chance in Bridle. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
}

/** The only source of fresh identifiers in Bridle. */
export interface Ids {
  /** A new identifier such as `run_V1StGXR8Z5jdHi6B`; URL-safe, without `:`, never only digits. */
  next(prefix: string): string;
}
