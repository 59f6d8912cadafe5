/** Values an expression may name: `input`, `item`, `index`, `tasks`. Plain JSON. */
export type Bindings = Readonly<Record<string, unknown>>;

export type EvaluationAnswer =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly code: "expression_failed" | "expression_timeout" | "expression_invalid";
      readonly message: string;
    };

/** Evaluates templates (any JSON value in which strings may hold `${{ … }}`) away from the main loop, within a bounded time. */
export interface Expressions {
  evaluate(template: unknown, bindings: Bindings): Promise<EvaluationAnswer>;
  close(): Promise<void>;
}
