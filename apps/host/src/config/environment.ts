import { bridleError } from "@bridle/protocol";
import type { SpecIssue } from "@bridle/protocol";
import { transportVariableFaults, transportVariables } from "@bridle/transport/environment";

import { closestName } from "./closest-name.ts";

/** Environment variables of Bridle. `docs/reference/config.md` is generated from this table. */
export const variables = {
  BRIDLE_STORE_URL: {
    kind: "text",
    fallback: "pglite:./.bridle",
    meaning: "Where runs are kept: `pglite:<folder>`, `postgres://…`, or `memory:` for tests.",
  },
  BRIDLE_QUEUE_URL: {
    kind: "text",
    fallback: undefined,
    meaning: "Where the queue is. Default: the store's URL.",
  },
  BRIDLE_DATA_DIR: {
    kind: "text",
    fallback: undefined,
    meaning:
      "Folder of the install token and the keys. Default: the store's folder, or `./.bridle`.",
  },
  BRIDLE_CONFIG: {
    kind: "text",
    fallback: undefined,
    meaning: "The configuration file. Default: `bridle.config.{ts,js,mjs}` in the working folder.",
  },
  BRIDLE_PRICES: {
    kind: "text",
    fallback: undefined,
    meaning:
      'A JSON file of prices, `{ "prices": { "provider/model": … }, "defaultPrice": … }`; wins over the configuration.',
  },
  BRIDLE_HOST: {
    kind: "text",
    fallback: "127.0.0.1",
    meaning: "Address to listen on. Beyond loopback only with keys configured.",
  },
  PORT: {
    kind: "whole",
    fallback: 7070,
    least: 0,
    most: 65_535,
    meaning: "Port to listen on; 0 picks a free one.",
  },
  BRIDLE_CONCURRENCY: {
    kind: "whole",
    fallback: undefined,
    least: 1,
    most: 1000,
    meaning: "Tasks at once per agent of this worker, in place of each agent's own number.",
  },
  BRIDLE_SHUTDOWN_MS: {
    kind: "whole",
    fallback: 20_000,
    least: 0,
    most: 600_000,
    meaning: "How long a process may take to stop after SIGTERM; 0 stops at once.",
  },
  LOG_LEVEL: {
    kind: "choice",
    fallback: "info",
    choices: ["debug", "info", "warn", "error", "silent"],
    meaning: "The least severe lines that are logged.",
  },
  BRIDLE_URL: {
    kind: "text",
    fallback: "http://127.0.0.1:7070",
    meaning: "The server that CLI commands talk to.",
  },
  BRIDLE_API_KEY: {
    kind: "text",
    fallback: undefined,
    meaning:
      "The key CLI commands send. Default: the install token, when the server is on this machine.",
  },
} as const;

export interface Environment {
  readonly storeUrl: string;
  readonly queueUrl: string;
  readonly dataDir: string;
  readonly configPath: string | undefined;
  readonly pricesPath: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly concurrency: number | undefined;
  readonly shutdownMs: number;
  readonly logLevel: (typeof variables)["LOG_LEVEL"]["choices"][number];
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** A mistyped `BRIDLE_…` would be ignored in silence; names of other programs that begin so would be none of ours. */
function unknownNames(env: Variables): readonly SpecIssue[] {
  const known = [...Object.keys(variables), ...transportVariables.map(({ name }) => name)];
  return Object.keys(env)
    .filter((name) => name.startsWith("BRIDLE_") && !known.includes(name))
    .flatMap((name) => {
      const suggestion = closestName(name, known);
      return suggestion === undefined
        ? []
        : [fault(name, `There is no variable ${name}. Did you mean ${suggestion}?`)];
    });
}

function fault(name: string, message: string): SpecIssue {
  return { pointer: name, code: "config_invalid", message };
}

type NumberName = {
  [Name in keyof typeof variables]: (typeof variables)[Name]["kind"] extends "whole" ? Name : never;
}[keyof typeof variables];

/**
 * Strict on purpose (B181): `15s`, `1e9`, an empty value or digits of another script are errors that name the variable and
 * its range, never a number that happens to come out of them.
 */
function wholeNumber(env: Variables, name: NumberName, issues: SpecIssue[]): number | undefined {
  const text = env[name];
  const { fallback, least, most } = variables[name];
  if (text === undefined) return fallback;
  const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  issues.push(
    fault(name, `${name} is "${text}"; expected a whole number from ${least} to ${most}.`),
  );
  return undefined;
}

/** Reads every variable once; rejects with one `config_invalid` that lists all faults. */
export function readEnvironment(env: Variables): Environment {
  const issues: SpecIssue[] = [
    ...unknownNames(env),
    ...transportVariableFaults(env).map(({ name, message }) => fault(name, message)),
  ];
  const environment: Environment = {
    ...addresses(env, issues),
    configPath: textOf(env, "BRIDLE_CONFIG"),
    pricesPath: textOf(env, "BRIDLE_PRICES"),
    host: textOf(env, "BRIDLE_HOST") ?? variables.BRIDLE_HOST.fallback,
    port: wholeNumber(env, "PORT", issues) ?? variables.PORT.fallback,
    concurrency: wholeNumber(env, "BRIDLE_CONCURRENCY", issues),
    shutdownMs:
      wholeNumber(env, "BRIDLE_SHUTDOWN_MS", issues) ?? variables.BRIDLE_SHUTDOWN_MS.fallback,
    logLevel: levelOf(env, issues),
  };
  if (issues.length > 0) throw configInvalid("The environment", issues);
  return environment;
}

/** An empty text is an unset one, as `FOO= command` is commonly meant. */
function textOf(env: Variables, name: keyof typeof variables): string | undefined {
  return env[name] === "" ? undefined : env[name];
}

function addresses(
  env: Variables,
  issues: SpecIssue[],
): Pick<Environment, "storeUrl" | "queueUrl" | "dataDir"> {
  const storeUrl = textOf(env, "BRIDLE_STORE_URL") ?? variables.BRIDLE_STORE_URL.fallback;
  const queueUrl = textOf(env, "BRIDLE_QUEUE_URL") ?? storeUrl;
  issues.push(...urlFaults("BRIDLE_STORE_URL", storeUrl));
  if (queueUrl !== storeUrl) issues.push(...urlFaults("BRIDLE_QUEUE_URL", queueUrl));
  return { storeUrl, queueUrl, dataDir: textOf(env, "BRIDLE_DATA_DIR") ?? folderOf(storeUrl) };
}

function levelOf(env: Variables, issues: SpecIssue[]): Environment["logLevel"] {
  const { choices, fallback } = variables.LOG_LEVEL;
  const name = env["LOG_LEVEL"] ?? fallback;
  const level = choices.find((choice) => choice === name);
  if (level !== undefined) return level;
  const message = `LOG_LEVEL is "${name}"; expected one of ${choices.join(", ")}.`;
  issues.push(fault("LOG_LEVEL", message));
  return fallback;
}

function urlFaults(name: string, url: string): readonly SpecIssue[] {
  const isServer = /^postgres(?:ql)?:\/\/./.test(url);
  if (isServer && URL.canParse(url)) return [];
  if (isServer) {
    const message = `${name} is no URL that can be read; in a password write @ : / ? # % as %40 %3A %2F %3F %23 %25.`;
    return [fault(name, message)];
  }
  if (/^(?:pglite:.+|memory:)$/.test(url)) return [];
  // The value may hold a password: only its scheme is shown.
  const scheme = url.split(":", 1)[0] ?? "";
  return [
    fault(
      name,
      `${name} starts with "${scheme}:"; expected pglite:<folder>, postgres://… or memory:.`,
    ),
  ];
}

function folderOf(storeUrl: string): string {
  return storeUrl.startsWith("pglite:") ? storeUrl.slice("pglite:".length) : "./.bridle";
}

/** One error for all faults: each on a line of its own, and as `details.issues`. */
export function configInvalid(what: string, issues: readonly SpecIssue[]): Error {
  const lines = issues.map(({ message }) => `  - ${message}`);
  return bridleError("config_invalid", {
    message: `${what} has ${issues.length} error${issues.length === 1 ? "" : "s"}:\n${lines.join("\n")}`,
    details: { issues },
  });
}
