import { bridleError, plainYaml, reasonUnreadable } from "@bridle/protocol";

import type { Io } from "./io.ts";

/**
 * The run's input from `--input` values, later ones over earlier ones: `key=value` (JSON when it reads as such, else text),
 * `@file` (a JSON or YAML object) or a JSON object.
 */
export async function readInput(
  values: readonly string[],
  io: Pick<Io, "readText">,
): Promise<Readonly<Record<string, unknown>>> {
  const input = new Map<string, unknown>();
  for (const value of values) {
    // oxlint-disable-next-line no-await-in-loop -- in the order they were given
    for (const [name, member] of await membersOf(value, io)) input.set(name, member);
  }
  return Object.fromEntries(input);
}

async function membersOf(
  value: string,
  io: Pick<Io, "readText">,
): Promise<readonly (readonly [string, unknown])[]> {
  if (value.startsWith("@")) return objectOf(await readDocument(value.slice(1), io), value);
  if (value.startsWith("{")) return objectOf(parseJson(value), value);
  const [, name, text] = /^([^=]+)=(.*)$/s.exec(value) ?? [];
  if (name === undefined || text === undefined) throw badInput(value);
  return [[name, jsonOrText(text)]];
}

function objectOf(document: unknown, value: string): readonly (readonly [string, unknown])[] {
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    throw badInput(value);
  }
  return Object.entries(document);
}

function badInput(value: string): Error {
  return bridleError("request_invalid", {
    message: `--input ${value} is neither key=value, @file nor a JSON object.`,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badInput(`${text} (${(error as Error).message})`);
  }
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A JSON or YAML file. `request_invalid` with the line when it cannot be read. */
export async function readDocument(path: string, io: Pick<Io, "readText">): Promise<unknown> {
  const text = await io.readText(path).catch((error: unknown) => {
    const code = String((error as { code?: unknown }).code ?? error);
    throw bridleError("request_invalid", {
      message: `${path} cannot be read (${code}).`,
      cause: error,
    });
  });
  const { parseDocument } = await import("yaml");
  try {
    return plainYaml(text, parseDocument);
  } catch (error) {
    throw bridleError("body_malformed", {
      message: `${path} is not valid YAML or JSON: ${reasonUnreadable(error)}`,
      cause: error,
    });
  }
}
