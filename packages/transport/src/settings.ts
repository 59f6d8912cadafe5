import { TransportFailure } from "./transport-failure.ts";

export interface TransportOptions {
  /** DNS, TCP, TLS and a proxy's tunnel together. */
  readonly connectMs?: number | undefined;
  /** How long a call waits for one of the origin's connections. */
  readonly poolWaitMs?: number | undefined;
  /** How long the peer may take no further piece (64 KiB) of the request. */
  readonly writeMs?: number | undefined;
  /** From the request's last byte to the answer's headers. */
  readonly firstByteMs?: number | undefined;
  /** Between two pieces of the body, whatever is in them. */
  readonly anyByteMs?: number | undefined;
  /** In an event stream, between two pieces with data: comments, blank lines and `ping` events are none. */
  readonly stallMs?: number | undefined;
  /** From the call to the end of its body. */
  readonly totalMs?: number | undefined;
  /** Idle time before TCP keepalive probes; then the system sends ten, one a second, so a half-open peer is found in 40 s. */
  readonly keepAliveProbeMs?: number | undefined;
  /** How long an unused connection is kept for the next call, unless the server hints at less. */
  readonly idleConnectionMs?: number | undefined;
  /** Connections per origin. Calls beyond them wait; it must lie above the calls in flight per provider (64, BR-16). */
  readonly connectionsPerOrigin?: number | undefined;
  readonly maxRequestBytes?: number | undefined;
  /** Largest body of a success. */
  readonly maxResponseBytes?: number | undefined;
  /** Largest body of an answer that is no success. */
  readonly maxErrorBytes?: number | undefined;
  /** All headers of an answer together. */
  readonly maxHeaderBytes?: number | undefined;
}

export type SettingName = keyof TransportOptions;

export interface Setting {
  readonly unit: "ms" | "bytes" | "connections";
  readonly meaning: string;
  /** Of the drop-in fetch. */
  readonly default: number;
  /** Of the fetch behind the call layer, where its own clocks rule. Default: the same. */
  readonly portDefault?: number;
  /** 0: the limit may be switched off with 0. */
  readonly least: 0 | 1;
  readonly most: number;
}

/** The longest a timer can run; beyond it Node fires at once. */
const longestMs = 2 ** 31 - 1;
const mebibyte = 1024 * 1024;

const limit = (value: number, meaning: string): Setting => ({
  unit: "ms",
  meaning,
  default: value,
  least: 1,
  most: longestMs,
});

/** Idle limits of the call layer go up to 900 s (a local model); these lie a minute above, so that they never fire first. */
const clock = (value: number, meaning: string): Setting => ({
  unit: "ms",
  meaning,
  default: value,
  portDefault: 0,
  least: 0,
  most: longestMs,
});

const bytes = (value: number, meaning: string): Setting => ({
  unit: "bytes",
  meaning,
  default: value,
  least: 1,
  most: Number.MAX_SAFE_INTEGER,
});

export const settings: Readonly<Record<SettingName, Setting>> = {
  connectMs: limit(30_000, "Connecting: name, TCP, TLS and a proxy's tunnel together."),
  poolWaitMs: limit(30_000, "The wait for one of the origin's connections."),
  writeMs: limit(30_000, "How long the peer may take no further 64 KiB of the request."),
  firstByteMs: clock(960_000, "From the request's last byte to the answer's headers."),
  anyByteMs: clock(1_800_000, "Between two pieces of the body, pings included."),
  stallMs: clock(960_000, "In an event stream, between two pieces with data; pings are none."),
  totalMs: clock(0, "From the call to the end of its body."),
  keepAliveProbeMs: limit(30_000, "Silence before TCP probes."),
  idleConnectionMs: limit(30_000, "How long an unused connection is kept."),
  connectionsPerOrigin: {
    unit: "connections",
    meaning: "At once to one origin; calls beyond them wait.",
    default: 128,
    least: 1,
    most: 65_535,
  },
  maxRequestBytes: bytes(64 * mebibyte, "The body that is sent."),
  maxResponseBytes: bytes(64 * mebibyte, "The body of a success."),
  maxErrorBytes: bytes(mebibyte, "The body of an error."),
  maxHeaderBytes: bytes(64 * 1024, "All headers of an answer."),
};

export type Settings = { readonly [Name in SettingName]-?: number };
export type Environment = Readonly<Record<string, string | undefined>>;

export interface SettingsContext {
  readonly isPort: boolean;
  readonly environment: Environment;
}

const names = Object.keys(settings) as readonly SettingName[];

/** `connectMs` is `BRIDLE_LLM_CONNECT_MS`. */
export function variableOf(name: string): string {
  return `BRIDLE_LLM_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Option, then environment, then default. Throws `invalid_setting` with every fault. */
export function resolveSettings(options: TransportOptions, context: SettingsContext): Settings {
  const faults = settingFaults(options, context).map(({ message }) => message);
  if (faults.length > 0) {
    throw new TransportFailure({ code: "invalid_setting", message: faults.join(" ") });
  }
  // Safe: every name is there.
  return Object.fromEntries(
    names.map((name) => [name, valueOf(name, options, context)]),
  ) as Settings;
}

/** Values out of range, by name. */
export function settingFaults(
  options: TransportOptions,
  context: SettingsContext,
): readonly { readonly name: SettingName; readonly message: string }[] {
  return names.flatMap((name) => faultOf(name, valueOf(name, options, context)));
}

/** What holds, in range or not. */
export function valueOf(
  name: SettingName,
  options: TransportOptions,
  context: SettingsContext,
): number {
  const written = context.environment[variableOf(name)];
  // Only digits are a number: " " would be 0.
  const fromEnvironment =
    written === undefined ? undefined : /^\d+$/.test(written) ? Number(written) : Number.NaN;
  const { default: usual, portDefault = usual } = settings[name];
  return options[name] ?? fromEnvironment ?? (context.isPort ? portDefault : usual);
}

function faultOf(
  name: SettingName,
  value: number,
): readonly { readonly name: SettingName; readonly message: string }[] {
  const { least, most, unit } = settings[name];
  if (Number.isSafeInteger(value) && value >= least && value <= most) return [];
  const message = `${name} (${variableOf(name)}) must be a whole number of ${unit} from ${least} to ${most}, not ${value}.`;
  return [{ name, message }];
}
