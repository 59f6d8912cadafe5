/** Names of envelopes over many runs. No task can have a name with a slash. */
export const installationScope = "installation/day";

export function keyScope(keyId: string): string {
  return `key:${keyId}/day`;
}

export function isOuterScope(envelope: string): boolean {
  return envelope.includes("/");
}

/** What to do about a day that is spent. */
export function outerHint(scope: string): string {
  const setting =
    scope === installationScope ? "`budget.perDay` of the configuration" : "the key's limit";
  return `It starts afresh at 00:00 UTC; until then wait for runs to end, or raise ${setting}.`;
}
