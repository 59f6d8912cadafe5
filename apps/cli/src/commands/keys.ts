import { createKey, readKeys, revokeKey } from "@bridle/host/access";
import { readEnvironment } from "@bridle/host/environment";
import { systemClock } from "@bridle/kernel/system";
import { bridleError, keyDayLimit, scopes } from "@bridle/protocol";
import type { LimitsSpec, Scope } from "@bridle/protocol";

import type { Io } from "../io.ts";
import { formatTable } from "../text/format.ts";
import { numberOption } from "../text/number-option.ts";
import { oneLine, safeJson } from "../text/sanitize.ts";

export interface KeysOptions {
  readonly output: "text" | "json";
}

export interface CreateOptions extends KeysOptions {
  readonly name: string;
  readonly scope: readonly string[];
  readonly perDayUsd?: string | undefined;
  readonly perDayTokens?: string | undefined;
  readonly perDayCalls?: string | undefined;
}

/** Works on the data folder of this machine, not over HTTP: making the first key must not need one. */
export async function createKeyCommand(options: CreateOptions, io: Io): Promise<number> {
  const named = options.scope.flatMap((text) => text.split(",")).map(scopeOf);
  const granted: readonly Scope[] = named.length === 0 ? ["admin"] : named;
  const { dataDir } = readEnvironment(io.env);
  const isFirst = (await readKeys(dataDir)).length === 0;
  const { key, stored } = await createKey(dataDir, {
    name: options.name,
    scopes: granted,
    perDay: perDayOf(options),
    at: systemClock.wallMs(),
  });
  if (options.output === "json") {
    io.out(`${safeJson({ id: stored.id, key, scopes: granted }, 2)}\n`);
    return 0;
  }
  io.err(`Key ${stored.id} (${granted.join(", ")}). It is shown this once; keep it safe.\n`);
  if (isFirst) io.err("From now on servers on this folder accept keys only, no install token.\n");
  io.out(`${key}\n`);
  return 0;
}

/** What is left away is bounded by the installation alone. */
function perDayOf({ perDayUsd, perDayTokens, perDayCalls }: CreateOptions): LimitsSpec | undefined {
  const given = {
    maxUsd: numberOption("--per-day-usd", perDayUsd, /^[0-9]{1,7}(?:\.[0-9]{1,9})?$/),
    maxTokens: numberOption("--per-day-tokens", perDayTokens, /^[1-9][0-9]{0,14}$/),
    maxCalls: numberOption("--per-day-calls", perDayCalls, /^[1-9][0-9]{0,14}$/),
  };
  if (Object.values(given).every((limit) => limit === undefined)) return undefined;
  // Refused here by its name, before a key exists that no server takes.
  keyDayLimit(given);
  return given;
}

function scopeOf(text: string): Scope {
  const scope = scopes.find((name) => name === text);
  if (scope !== undefined) return scope;
  throw bridleError("request_invalid", {
    message: `--scope ${text}: expected ${scopes.join(", ")}.`,
  });
}

export async function listKeysCommand(options: KeysOptions, io: Io): Promise<number> {
  const keys = await readKeys(readEnvironment(io.env).dataDir);
  if (options.output === "json") {
    io.out(`${safeJson({ keys: keys.map(({ hash: _hash, ...key }) => key) }, 2)}\n`);
    return 0;
  }
  const rows = keys.map(({ id, name, scopes: granted, createdAt, revokedAt }) => [
    id,
    oneLine(name),
    granted.join(","),
    new Date(createdAt).toISOString(),
    revokedAt === undefined ? "" : `revoked ${new Date(revokedAt).toISOString()}`,
  ]);
  io.out(formatTable([["ID", "NAME", "SCOPES", "CREATED", ""], ...rows]));
  return 0;
}

export async function revokeKeyCommand(id: string, options: KeysOptions, io: Io): Promise<number> {
  const { dataDir } = readEnvironment(io.env);
  if (!(await revokeKey(dataDir, id, systemClock.wallMs()))) {
    throw bridleError("request_invalid", {
      message: `There is no key with the id "${id}"; see \`bridle keys list\`.`,
    });
  }
  if (options.output === "json") io.out(`${safeJson({ id, revoked: true }, 2)}\n`);
  else io.err(`Key ${id} is revoked; servers refuse it within a second.\n`);
  return 0;
}
