import type {
  Amounts,
  EnvelopeState,
  EnvelopeTerms,
  HoldEnd,
  JournalEvent,
  ReserveAnswer,
  ReserveRequest,
  SettleRequest,
  Spender,
  TaskId,
} from "@bridle/protocol";

import type { EnvelopeName, LedgerState } from "./ledger-state.ts";

/** Everything that can happen to a ledger. `at` is wall ms: it dates log entries and renewals, it decides nothing else. */
export type LedgerInput =
  | ({ readonly type: "reserve" } & ReserveRequest)
  | ({ readonly type: "dispatch"; readonly holdId: string } & Spender)
  | ({ readonly type: "settle" } & SettleRequest)
  | ({ readonly type: "release"; readonly holdId: string; readonly at: number } & Spender)
  | { readonly type: "renew"; readonly holdIds: readonly string[]; readonly at: number }
  | { readonly type: "expire"; readonly olderThan: number; readonly at: number }
  /**
   * Opening an envelope again changes nothing. `parent` defaults to the run's. With `carvedAt` its limit is set aside in the parent,
   * or what the parent can set aside if that is less (LF-8).
   */
  | {
      readonly type: "open";
      readonly taskId: TaskId;
      readonly terms: EnvelopeTerms;
      readonly parent?: TaskId | undefined;
      readonly carvedAt?: number | undefined;
    }
  | { readonly type: "close"; readonly envelope: EnvelopeName; readonly at: number }
  | {
      readonly type: "raise";
      readonly envelope: EnvelopeName;
      readonly by: Amounts;
      readonly at: number;
    }
  | { readonly type: "freeze"; readonly envelope: EnvelopeName; readonly cause: string }
  | { readonly type: "unfreeze"; readonly envelope: EnvelopeName; readonly cause: string }
  | { readonly type: "fence"; readonly taskId: TaskId; readonly attempt: number }
  /** Ends every hold of the attempt. `final`: it may not reserve again either. */
  | ({ readonly type: "end-attempt"; readonly at: number; readonly final: boolean } & Spender)
  /** The run is over: drops the tombstones. */
  | { readonly type: "forget" };

export interface LedgerAnswers {
  readonly reserve: ReserveAnswer;
  readonly dispatch: boolean;
  readonly settle: HoldEnd;
  readonly release: HoldEnd;
  /** How many holds. */
  readonly renew: number;
  readonly expire: number;
  readonly open: undefined;
  readonly close: undefined;
  /** Undefined when there is no such envelope. */
  readonly raise: EnvelopeState | undefined;
  readonly freeze: undefined;
  readonly unfreeze: undefined;
  readonly fence: undefined;
  readonly "end-attempt": number;
  readonly forget: undefined;
}

export type LedgerInputType = LedgerInput["type"];
export type LedgerInputOf<Type extends LedgerInputType> = Extract<LedgerInput, { type: Type }>;

/** The state (the same object), the answer for the caller, and what belongs into the run's log with it. */
export type LedgerStep<Type extends LedgerInputType = LedgerInputType> = readonly [
  LedgerState,
  LedgerAnswers[Type],
  readonly JournalEvent[],
];
