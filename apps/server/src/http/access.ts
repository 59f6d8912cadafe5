import type { Amounts, Scope } from "@bridle/protocol";

/** Who asks: a key, or the install token of this machine. */
export interface Principal {
  /** Stable and printable: the key's id, or `local`. Idempotency keys belong to it. */
  readonly id: string;
  readonly scopes: readonly Scope[];
  /** What its runs together may spend in a UTC day; absent: no limit of its own (BU-5). */
  readonly perDay?: Amounts | undefined;
}

/** Decides who a credential belongs to. Contract: takes the same time for every wrong one. */
export interface Authenticator {
  authenticate(credential: string): Promise<Principal | undefined>;
}

/** `submit` and `operate` include `read`; `admin` includes all. */
export function mayDo(principal: Principal, needed: Scope): boolean {
  if (principal.scopes.includes("admin") || principal.scopes.includes(needed)) return true;
  return needed === "read" && principal.scopes.length > 0;
}
