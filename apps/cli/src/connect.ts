import { createClient } from "@bridle/client";
import type { Client } from "@bridle/client";
import { readInstallToken } from "@bridle/host/access";
import { readEnvironment, variables } from "@bridle/host/environment";
import { systemClock, systemRandom } from "@bridle/kernel/system";
import { bridleError } from "@bridle/protocol";

import type { Io } from "./io.ts";

/** Options of every command that talks to a server. */
export interface ConnectionOptions {
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
}

/** A client for the server named by `--url`, `BRIDLE_URL` or the default, with the key named likewise. */
export async function connect(options: ConnectionOptions, io: Io): Promise<Client> {
  const url = options.url ?? io.env["BRIDLE_URL"] ?? variables.BRIDLE_URL.fallback;
  return createClient({
    url: checkedUrl(url).href.replace(/\/$/, ""),
    apiKey: keyOf(options, io) ?? (await localToken(checkedUrl(url), io)),
    fetch: io.fetch,
    clock: systemClock,
    random: systemRandom,
  });
}

/** A key read from a file often ends in a line break; an empty variable names no key. */
function keyOf({ apiKey }: ConnectionOptions, io: Io): string | undefined {
  const key = (apiKey ?? io.env["BRIDLE_API_KEY"])?.trim();
  return key === "" ? undefined : key;
}

function checkedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw bridleError("request_invalid", {
    message: `"${text}" is not the URL of a server; expected something like ${variables.BRIDLE_URL.fallback}.`,
  });
}

/** The install token goes to this machine only: another host must never see it. */
async function localToken({ hostname }: URL, io: Io): Promise<string | undefined> {
  if (!["localhost", "127.0.0.1", "[::1]"].includes(hostname)) return undefined;
  return readInstallToken(readEnvironment(io.env).dataDir);
}
