import { connect } from "../connect.ts";
import type { Io } from "../io.ts";
import { formatCount, formatTable, formatUsd } from "../text/format.ts";
import { oneLine, safeJson } from "../text/sanitize.ts";
import type { RunsOptions } from "./runs.ts";

export async function listAgents(options: RunsOptions, io: Io): Promise<number> {
  const { agents } = await (await connect(options, io)).agents();
  const rows = agents.map(({ name, isolation, model }) => [name, isolation, model ?? ""]);
  return print({ agents }, [["AGENT", "ISOLATION", "MODEL"], ...rows], options, io);
}

export async function listBreakers(options: RunsOptions, io: Io): Promise<number> {
  const { breakers } = await (await connect(options, io)).breakers();
  const rows = breakers.map(({ key, state, since, triggers }) => [
    oneLine(key),
    state,
    new Date(since).toISOString(),
    triggers.map(oneLine).join(", "),
  ]);
  return print({ breakers }, [["BREAKER", "STATE", "SINCE", "TRIGGERS"], ...rows], options, io);
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
