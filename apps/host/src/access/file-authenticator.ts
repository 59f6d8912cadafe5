/**
 * Says who a credential belongs to, from the data folder's files.
 *
 * A1. Without keys only the install token is accepted; with keys only keys are, so that creating the first key locks the
 *     door for everything else on this machine.
 * A2. A revoked key is refused within `recheckMs`: the file is looked at again when its last look is older.
 * A3. A file that cannot be read lets nobody in.
 */
import type { Clock } from "@bridle/kernel";
import { keyDayLimit } from "@bridle/protocol";
import type { Authenticator, Principal } from "@bridle/server";

import { readKeys } from "./key-file.ts";
import type { StoredKey } from "./key-file.ts";
import { hashSecret, isSameHash } from "./secrets.ts";

export interface FileAuthenticatorOptions {
  readonly dataDir: string;
  readonly installToken: string;
  readonly clock: Clock;
  /** Default 1 s. */
  readonly recheckMs?: number | undefined;
}

export function fileAuthenticator(options: FileAuthenticatorOptions): Authenticator {
  const { dataDir, clock } = options;
  const tokenHash = hashSecret(options.installToken);
  const local: Principal = { id: "local", scopes: ["admin"] };
  let known: { readonly keys: Promise<readonly StoredKey[]>; readonly untilMs: number } | undefined;

  function keysNow(): Promise<readonly StoredKey[]> {
    const nowMs = clock.monotonicMs();
    if (known === undefined || nowMs >= known.untilMs) {
      known = { keys: readKeys(dataDir), untilMs: nowMs + (options.recheckMs ?? 1000) };
    }
    return known.keys;
  }

  return {
    async authenticate(credential) {
      const keys = await keysNow();
      const hash = hashSecret(credential);
      if (keys.length === 0) return isSameHash(hash, tokenHash) ? local : undefined;
      let key: StoredKey | undefined;
      // Without a break: all are compared, so that the time does not tell how far one got.
      for (const each of keys) {
        if (isSameHash(each.hash, hash) && each.revokedAt === undefined) key = each;
      }
      if (key === undefined) return undefined;
      const { id, scopes, perDay } = key;
      return { id, scopes, ...(perDay === undefined ? {} : { perDay: keyDayLimit(perDay) }) };
    },
  };
}
