import type { BreakerAction, RaiseBody } from "@bridle/protocol";

import { connect } from "../connect.ts";
import type { Io } from "../io.ts";
import { formatCount, formatTable, formatUsd } from "../text/format.ts";
import { numberOption } from "../text/number-option.ts";
import { oneLine, safeJson } from "../text/sanitize.ts";
import type { RunsOptions } from "./runs.ts";

export async function listAgents(options: RunsOptions, io: Io): Promise<number> {
  const { agents } = await (await connect(options, io)).agents();
  const rows = agents.map(({ name, isolation, model }) => [name, isolation, model ?? ""]);
  return print({ agents }, [["AGENT", "ISOLATION", "MODEL"], ...rows], options, io);
}

export async function listBreakers(options: RunsOptions, io: Io): Promise<number> {
  const { breakers } = await (await connect(options, io)).breakers();
  const rows = breakers.map(({ key, state, since, parked, triggers }) => [
    oneLine(key),
    state,
    new Date(since).toISOString(),
    String(parked),
    triggers.map(oneLine).join(", "),
  ]);
  const head = ["BREAKER", "STATE", "SINCE", "PARKED", "TRIGGERS"];
  return print({ breakers }, [head, ...rows], options, io);
}

export interface BreakerOptions extends RunsOptions {
  readonly reason: string;
  readonly for?: string | undefined;
}

export function orderBreaker(action: BreakerAction) {
  return async (key: string, options: BreakerOptions, io: Io): Promise<number> => {
    const { reason, output } = options;
    const client = await connect(options, io);
    const order = await client.orderBreaker(key, action, { reason, for: options.for });
    if (output === "json") io.out(`${safeJson(order, 2)}\n`);
    else if (order.forced === undefined) io.err(`${oneLine(key)} is closed and starts afresh.\n`);
    else {
      const until = new Date(order.forced.until).toISOString();
      io.err(`${oneLine(key)} is ${order.forced.state} in every worker until ${until}.\n`);
    }
    return 0;
  };
}

export interface BurnOptions extends RunsOptions {
  readonly by?: "money" | "tokens" | undefined;
}

export async function showBurn(options: BurnOptions, io: Io): Promise<number> {
  const board = await (await connect(options, io)).burn(options.by);
  const rows = board.chains.map(({ runId, charged, settled, reserved, limit, msToLimit }) => [
    runId,
    formatUsd(charged.nanoUsd),
    formatCount(charged.tokens),
    formatUsd(reserved.nanoUsd),
    `${formatUsd(settled.nanoUsd)}/${limit.nanoUsd === unlimited ? "unlimited" : formatUsd(limit.nanoUsd)}`,
    msToLimit === undefined ? "" : `${Math.round(msToLimit / 1000)} s`,
  ]);
  const head = ["RUN", "USD/MIN", "TOKENS/MIN", "HELD", "SPENT", "LIMIT IN"];
  const days = board.days.map(({ scope, spent, given, limit }) => [
    scope,
    "",
    "",
    formatUsd(given.nanoUsd),
    `${formatUsd(spent.nanoUsd)}/${limit.nanoUsd === unlimited ? "unlimited" : formatUsd(limit.nanoUsd)}`,
    "",
  ]);
  return print(board, [head, ...rows, ...days], options, io);
}

export async function getBudget(runId: string, options: RunsOptions, io: Io): Promise<number> {
  const { envelopes } = await (await connect(options, io)).budgets(runId);
  const rows = envelopes.map(({ envelope, settled, reserved, limit, tripped, closed }) => [
    envelope,
    `${formatCount(settled.tokens)}+${formatCount(reserved.tokens)}/${amount(limit.tokens)}`,
    `${formatUsd(settled.nanoUsd)}/${limit.nanoUsd === unlimited ? "unlimited" : formatUsd(limit.nanoUsd)}`,
    `${settled.calls}/${amount(limit.calls)}`,
    [tripped ? "tripped" : "", closed ? "closed" : ""].filter((word) => word !== "").join(", "),
  ]);
  return print({ envelopes }, [["ENVELOPE", "TOKENS", "USD", "CALLS", ""], ...rows], options, io);
}

export interface RaiseOptions extends RunsOptions {
  readonly tokens?: string | undefined;
  readonly usd?: string | undefined;
  readonly calls?: string | undefined;
  readonly envelope?: string | undefined;
}

export async function raiseBudget(runId: string, options: RaiseOptions, io: Io): Promise<number> {
  const { tokens, usd, calls, envelope = "run", output } = options;
  const add: RaiseBody = {
    addTokens: numberOption("--tokens", tokens, /^[1-9][0-9]{0,14}$/),
    addUsd: numberOption("--usd", usd, /^[0-9]{1,7}(?:\.[0-9]{1,9})?$/),
    addCalls: numberOption("--calls", calls, /^[1-9][0-9]{0,14}$/),
    envelope,
  };
  const raised = await (await connect(options, io)).raise(runId, add);
  if (output === "json") io.out(`${safeJson(raised, 2)}\n`);
  else if (raised.tripped) {
    io.err(`Raised, but nine tenths of the new limit are spent already: raise it further.\n`);
  } else io.err(`Raised. If the run is paused: \`bridle runs resume ${runId}\`.\n`);
  return 0;
}

/** How a limit that was written out as `unlimited` crosses the wire. */
const unlimited = String(Number.MAX_SAFE_INTEGER);

function amount(text: string): string {
  return text === unlimited ? "unlimited" : formatCount(text);
}

// oxlint-disable-next-line max-params -- the same answer in two forms
function print(
  value: unknown,
  rows: readonly (readonly string[])[],
  { output }: RunsOptions,
  io: Io,
): number {
  io.out(output === "json" ? `${safeJson(value, 2)}\n` : formatTable(rows));
  return 0;
}
