import { errors } from "undici";

import { variableOf } from "./settings.ts";
import type { Settings } from "./settings.ts";
import { TransportFailure } from "./transport-failure.ts";
import type { TransportFailureCode } from "./transport-failure.ts";

/** What a call may wait for. */
export type Phase = "pool" | "connect" | "write" | "first-byte" | "any-byte" | "stall" | "total";

interface TimeLimit {
  readonly code: TransportFailureCode;
  readonly setting: keyof Settings;
  readonly says: (host: string) => string;
  /** undici's error for the same: connecting means that nothing was sent. */
  readonly cause: () => Error;
}

const connecting = (): Error => new errors.ConnectTimeoutError();
const beforeHeaders = (): Error => new errors.HeadersTimeoutError();
const inBody = (): Error => new errors.BodyTimeoutError();

const limits: Readonly<Record<Phase, TimeLimit>> = {
  pool: {
    code: "no_free_connection",
    setting: "poolTimeoutMs",
    says: (host) =>
      `All connections to ${host} were in use; raise connectionsPerOrigin, or read or cancel every body`,
    cause: connecting,
  },
  connect: {
    code: "connect_timeout",
    setting: "connectTimeoutMs",
    says: (host) =>
      `No connection to ${host} came about; check the address, the network and the proxy`,
    cause: connecting,
  },
  write: {
    code: "write_timeout",
    setting: "writeTimeoutMs",
    says: (host) => `${host} took no more of the request`,
    cause: beforeHeaders,
  },
  "first-byte": {
    code: "first_byte_timeout",
    setting: "firstByteTimeoutMs",
    says: (host) => `${host} has the request and did not begin to answer`,
    cause: beforeHeaders,
  },
  "any-byte": {
    code: "any_byte_timeout",
    setting: "anyByteTimeoutMs",
    says: (host) => `${host} stopped in the middle of its answer`,
    cause: inBody,
  },
  stall: {
    code: "stall_timeout",
    setting: "stallTimeoutMs",
    says: (host) => `${host} keeps the stream open with pings and sends no data`,
    cause: inBody,
  },
  total: {
    code: "total_timeout",
    setting: "totalTimeoutMs",
    says: (host) => `The call to ${host} took too long as a whole`,
    cause: inBody,
  },
};

/** 0: no limit. */
export function limitOf(phase: Phase, settings: Settings): number {
  return settings[limits[phase].setting];
}

export function timeoutFailure(phase: Phase, host: string, settings: Settings): TransportFailure {
  const { code, setting, says, cause } = limits[phase];
  return new TransportFailure({
    code,
    message: `${says(host)} (limit: ${settings[setting]} ms, ${setting} or ${variableOf(setting)}).`,
    cause: cause(),
  });
}
