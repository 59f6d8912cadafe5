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
  /** undici's code for the same, for who sorts by code: connecting means that nothing was sent. */
  readonly cause: string;
}

const connecting = "UND_ERR_CONNECT_TIMEOUT";
const beforeHeaders = "UND_ERR_HEADERS_TIMEOUT";
const inBody = "UND_ERR_BODY_TIMEOUT";

const limits: Readonly<Record<Phase, TimeLimit>> = {
  pool: {
    code: "no_free_connection",
    setting: "poolWaitMs",
    says: (host) =>
      `All connections to ${host} were in use; raise connectionsPerOrigin, or read or cancel every body`,
    cause: connecting,
  },
  connect: {
    code: "connect_timeout",
    setting: "connectMs",
    says: (host) =>
      `No connection to ${host} came about; check the address, the network and the proxy`,
    cause: connecting,
  },
  write: {
    code: "write_timeout",
    setting: "writeMs",
    says: (host) => `${host} took no more of the request`,
    cause: beforeHeaders,
  },
  "first-byte": {
    code: "first_byte_timeout",
    setting: "firstByteMs",
    says: (host) => `${host} has the request and did not begin to answer`,
    cause: beforeHeaders,
  },
  "any-byte": {
    code: "any_byte_timeout",
    setting: "anyByteMs",
    says: (host) => `${host} stopped in the middle of its answer`,
    cause: inBody,
  },
  stall: {
    code: "stall_timeout",
    setting: "stallMs",
    says: (host) => `${host} keeps the stream open with pings and sends no data`,
    cause: inBody,
  },
  total: {
    code: "total_timeout",
    setting: "totalMs",
    says: (host) => `The call to ${host} took too long as a whole`,
    cause: inBody,
  },
};

/** 0: no limit. */
export function limitOf(phase: Phase, settings: Settings): number {
  return settings[limits[phase].setting];
}

/** Its words must not speak of a time-out: SDKs that find that in a text drop the error, and what is to be changed with it. */
export function timeoutFailure(phase: Phase, host: string, settings: Settings): TransportFailure {
  const { code, setting, says, cause } = limits[phase];
  return new TransportFailure({
    code,
    message: `${says(host)} (limit: ${settings[setting]} ms, ${setting} or ${variableOf(setting)}).`,
    cause: Object.assign(new Error("The limit was reached."), { code: cause }),
  });
}
