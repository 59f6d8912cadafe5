import { randomBytes } from "node:crypto";

import { systemIds } from "@bridle/kernel/system";
import { createSubmit } from "@bridle/orchestrator";
import { bridleError, installationDayLimit } from "@bridle/protocol";
import { createApi } from "@bridle/server";
import type { PartState } from "@bridle/server";

import { fileAuthenticator } from "../access/file-authenticator.ts";
import { governRuns } from "./govern-runs.ts";
import { isLoopback } from "./is-loopback.ts";
import type { Parts } from "./parts.ts";

export interface StartedServer {
  readonly url: string;
  /** Readiness turns red, new work is refused, streams end. */
  drain(): void;
  stop(): Promise<void>;
}

function newTraceId(): string {
  return randomBytes(16).toString("hex");
}

/** Rejects with `port_in_use`, or with `config_invalid` for an open address without keys. */
export async function startServer(
  parts: Parts,
  states: () => readonly PartState[],
): Promise<StartedServer> {
  const { environment, config, clock, store, installToken, usesKeys } = parts;
  const { host, port, dataDir } = environment;
  refuseOpenDoor(host, usesKeys);
  const api = createApi({
    store,
    submit: createSubmit({
      store,
      clock,
      ids: systemIds,
      newTraceId,
      agents: config.agents.map(({ name }) => name),
      models: Object.keys(config.models),
      perDay: installationDayLimit(config.budget?.perDay),
    }),
    governRun: governRuns(parts),
    bus: parts.bus,
    clock,
    log: parts.log.child({ part: "server" }),
    newTraceId,
    authenticator: fileAuthenticator({ dataDir, installToken, clock }),
    site: { isLoopback: isLoopback(host), ...config.server },
    agents: config.agents.map(({ name, isolation }) => ({ name, isolation })),
    parts: states,
    version: parts.version,
    durability: parts.durability,
    limits: {
      pollMs: config.liveness.pollMs,
      ...(config.limits?.bodyBytes === undefined ? {} : { bodyBytes: config.limits.bodyBytes }),
    },
  });
  const url = await api.listen({ host, port });
  return { url, drain: () => api.drain(), stop: async () => api.close() };
}

/** Without keys the install token is all there is, and it is meant for whoever can read the data folder. */
function refuseOpenDoor(host: string, usesKeys: boolean): void {
  if (usesKeys || isLoopback(host)) return;
  throw bridleError("config_invalid", {
    message: `Without API keys the server listens on this machine only, not on ${host}. Make a key with \`bridle keys create\`, or leave BRIDLE_HOST away.`,
  });
}
