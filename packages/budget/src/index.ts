export {
  Budget,
  defaultHoldExpiryMs,
  defaultWaitMs,
  type Ask,
  type BudgetOptions,
  type Hold,
} from "./budget.ts";
export {
  burnChains,
  type BurningChain,
  type BurnMeasure,
  type BurnSnapshot,
  type BurnState,
  burnWindowMs,
  initialBurn,
  minuteOf,
  recordBurn,
  selectBurning,
  selectRecentBurn,
} from "./burn-board.ts";
export {
  runEnvelopeTerms as defaultEnvelope,
  defaultRunLimit,
  taskEnvelopeTerms as taskEnvelope,
  unlimited,
  type BudgetSpec,
} from "@bridle/protocol";
export {
  initialFactor,
  reduceFactor,
  type FactorSample,
  type FactorState,
} from "./estimate-factor.ts";
export {
  countedTokens,
  encodingOf,
  estimateMessages,
  estimateTokens,
  type ModelFamily,
  sumMessages,
  type TokenEncoding,
  type TokenEstimate,
} from "./estimate-tokens.ts";
export { FactorBook } from "./factor-book.ts";
export {
  CalibrationBook,
  type CalibrationSample,
  type CalibrationState,
  initialCalibration,
  reduceCalibration,
} from "./input-calibration.ts";
export {
  fallBack,
  firstStayMs,
  longestStayMs,
  planLadder,
  staysOnRung,
  type RefusedStep,
  type RungPlan,
  type RungStay,
} from "./ladder.ts";
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
  selectCharged,
  selectEnvelope,
  selectEnvelopes,
  selectOpenHolds,
  type EnvelopeName,
  type LedgerConfig,
  type LedgerState,
} from "./ledger-state.ts";
export {
  copyOuter,
  dayOf,
  initialOuter,
  nextDayAt,
  refusesRun,
  startOfDay,
  type Grant,
  type OuterShortage,
  type OuterState,
} from "./outer-envelope.ts";
export { describeShortage } from "./describe-shortage.ts";
export { selectOuter } from "./select-outer.ts";
export { admissionLine, defaultLinePercent } from "./trip-line.ts";
export { PriceTable, type PriceTableOptions } from "./price-table.ts";
export { parsePrice, type PriceText } from "./parse-price.ts";
export { amountsOf, priceOf, type Price, type PriceRates, type PriceTier } from "./price.ts";
export { parseUsd } from "@bridle/protocol";
export { reduceLedger } from "./reduce-ledger.ts";
export {
  defaultFactor,
  reservationFor,
  reserveModelCall,
  type ModelCallPlan,
  type ModelCallReservation,
} from "./reservation-for.ts";
export { settlementOf, type CallFacts } from "./settlement.ts";
export {
  isSameUsage,
  mergeUsage,
  normaliseUsage,
  readUsage,
  type UsageDialect,
  type UsageReport,
} from "./token-usage.ts";
export type { UnsoundField } from "./usage-fields.ts";
