import { bridleError } from "@bridle/protocol";

/** Narrowest first: the order in which a refusal is looked for (B5). */
const tiers = ["tool", "chain", "agent", "provider"] as const;
export type Tier = (typeof tiers)[number];

export interface ParsedKey {
  readonly key: string;
  readonly tier: Tier;
  /** Place of the tier, narrowest 0. */
  readonly rank: number;
  /** BR-13: `agent:<type>` over `agent:<workflow>/<type>`, `provider:<provider>` over `provider:<provider>/<model>`. */
  readonly umbrella: { readonly key: string; readonly source: string } | undefined;
  /** True for a key that is an umbrella itself. */
  readonly isUmbrella: boolean;
}

/**
 * Reads `tool:<name>`, `chain:<run>`, `agent:<workflow>/<type>`, `provider:<provider>/<model>` and the umbrellas
 * `agent:<type>`, `provider:<provider>`. A model's name may hold more slashes.
 * @throws CodedError `request_invalid` for anything else.
 */
export function parseKey(key: string): ParsedKey {
  const colon = key.indexOf(":");
  const prefix = key.slice(0, colon);
  const name = key.slice(colon + 1);
  const rank = tiers.findIndex((candidate) => candidate === prefix);
  const tier = tiers[rank];
  if (tier === undefined || name === "") {
    throw bridleError("request_invalid", {
      message: `"${key}" is not a breaker's key; expected tool:<name>, agent:<workflow>/<type> or provider:<provider>/<model>.`,
      details: { key },
    });
  }
  if (tier === "tool" || tier === "chain") {
    return { key, tier, rank, umbrella: undefined, isUmbrella: false };
  }
  const slash = name.indexOf("/");
  if (slash === -1) return { key, tier, rank, umbrella: undefined, isUmbrella: true };
  const [left, right] = [name.slice(0, slash), name.slice(slash + 1)];
  const umbrella =
    tier === "agent"
      ? { key: `agent:${right}`, source: left }
      : { key: `provider:${left}`, source: right };
  return { key, tier, rank, umbrella, isUmbrella: false };
}
