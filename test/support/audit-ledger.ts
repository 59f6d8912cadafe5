import { readLog } from "@bridle/client";
import type { Client } from "@bridle/client";
import { fromWireAmounts, noAmounts } from "@bridle/protocol";
import type { Amounts, EnvelopeState, EnvelopeView, LogEntry } from "@bridle/protocol";

import { sumsOf } from "../reference/envelope-sums.ts";
import type { Book, Hold, Limits } from "../reference/envelope-sums.ts";
import { readLedger } from "../reference/ledger-aggregation.ts";

/** What a provider counted for one run by itself. */
export interface Counted {
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface LedgerUnderAudit {
  /** The whole log of one run. */
  readonly log: readonly LogEntry[];
  readonly envelopes: readonly Pick<EnvelopeState, "envelope" | "limit" | "settled" | "reserved">[];
  /** False where the budget guard only warns or is off: nothing is refused then. */
  readonly isEnforced?: boolean;
  /** Given when the provider answered this run alone. */
  readonly counted?: Counted;
}

/**
 * What does not add up, in words: the log in itself, the stored envelopes against the log, and both against the provider.
 * Holds that were open when the run ended are booked without an entry later; as much as they hold may be missing in the log.
 */
export function ledgerFaults(ledger: LedgerUnderAudit): readonly string[] {
  const { log, envelopes, isEnforced = true, counted } = ledger;
  const limits: Limits = new Map(
    envelopes.map(({ envelope, limit }) => [envelope, isEnforced ? limit : unlimited]),
  );
  const { book, faults } = readLedger(log, limits);
  const hasEnded = log.at(-1)?.type === "run.finished";
  return [
    ...faults,
    ...envelopes.flatMap((envelope) => envelopeFaults(envelope, book, hasEnded)),
    ...(counted === undefined ? [] : providerFaults(ledger, book.holds, counted)),
  ];
}

const most = Number.MAX_SAFE_INTEGER;
const unlimited: Amounts = { tokens: most, nanoUsd: most, calls: most };
const dimensions = ["tokens", "nanoUsd", "calls"] as const;

function envelopeFaults(
  stored: LedgerUnderAudit["envelopes"][number],
  book: Book,
  hasEnded: boolean,
): readonly string[] {
  const sums = sumsOf(book, stored.envelope);
  return dimensions.flatMap((dimension) => {
    const [reserved, settled] = [stored.reserved[dimension], stored.settled[dimension]];
    const [held, charged] = [sums.reserved[dimension], sums.settled[dimension]];
    const isRight = hasEnded
      ? reserved <= held && settled >= charged && settled + reserved <= charged + held
      : reserved === held && settled === charged;
    if (isRight) return [];
    return [
      `${stored.envelope} has settled ${settled} and reserved ${reserved} ${dimension}; its log says ${charged} and ${held}`,
    ];
  });
}

/** A call that was made is paid for; and no more was paid where each is known by its usage. */
function providerFaults(
  { log, envelopes }: LedgerUnderAudit,
  holds: ReadonlyMap<string, Hold>,
  counted: Counted,
): readonly string[] {
  const { settled } = envelopes.find(({ envelope }) => envelope === "run") ?? {
    settled: noAmounts,
  };
  const billed = counted.promptTokens + counted.completionTokens;
  const charges = log.filter((entry) => entry.type === "budget.settled");
  const isKnown =
    charges.every(({ basis }) => basis === "usage") &&
    [...holds.values()].every(({ charged }) => charged !== undefined);
  const isRight = isKnown
    ? settled.calls === counted.requests && settled.tokens === billed
    : settled.calls >= counted.requests && settled.tokens >= billed;
  if (isRight) return [];
  return [
    `settled ${settled.calls} calls and ${settled.tokens} tokens; the provider counted ${counted.requests} and ${billed}`,
  ];
}

/** From what the API gives. Its entries are those of the log; its schema is only open for older clients. */
export function ledgerFromApi(
  events: readonly { readonly type: string }[],
  envelopes: readonly EnvelopeView[],
): LedgerUnderAudit {
  return {
    log: events as readonly LogEntry[],
    envelopes: envelopes.map(({ envelope, limit, settled, reserved }) => ({
      envelope,
      limit: fromWireAmounts(limit),
      settled: fromWireAmounts(settled),
      reserved: fromWireAmounts(reserved),
    })),
  };
}

/** Reads one run's ledger, every page of its log. */
export async function fetchLedger(
  client: Pick<Client, "events" | "budgets">,
  runId: string,
): Promise<LedgerUnderAudit> {
  const events = await readLog(client, runId);
  const { envelopes } = await client.budgets(runId);
  return ledgerFromApi(events, envelopes);
}
