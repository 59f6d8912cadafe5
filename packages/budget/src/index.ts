export type {
  LedgerAnswers,
  LedgerInput,
  LedgerInputOf,
  LedgerInputType,
  LedgerStep,
} from "./ledger-input.ts";
export { restoreLedger, snapshotLedger, type LedgerSnapshot } from "./ledger-snapshot.ts";
export {
  initialLedger,
  selectEnvelope,
  selectEnvelopes,
  selectOpenHolds,
  type EnvelopeName,
  type LedgerConfig,
  type LedgerState,
} from "./ledger-state.ts";
export { reduceLedger } from "./reduce-ledger.ts";
