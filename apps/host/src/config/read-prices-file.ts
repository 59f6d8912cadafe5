import { readFile } from "node:fs/promises";

import { bridleError, pricesFileSchema } from "@bridle/protocol";
import type { PricesFile, SpecIssue } from "@bridle/protocol";

import { configInvalid } from "./environment.ts";
import { pointerOf } from "./pointer-of.ts";

/**
 * Prices that an operator keeps beside the configuration. Rejects with `config_unreadable` (not there, no JSON) or
 * `config_invalid` (every fault with its pointer).
 */
export async function readPricesFile(path: string): Promise<PricesFile> {
  const parsed = pricesFileSchema.safeParse(await readJson(path));
  if (parsed.success) return parsed.data;
  throw configInvalid(`The price file ${path}`, parsed.error.issues.map(issueOf));
}

type ZodIssue = NonNullable<
  ReturnType<typeof pricesFileSchema.safeParse>["error"]
>["issues"][number];

function issueOf({ path, message }: ZodIssue): SpecIssue {
  const pointer = pointerOf(path);
  return { pointer, code: "config_invalid", message: `${pointer || "The file"}: ${message}` };
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    const reason = (cause as Partial<NodeJS.ErrnoException>).code ?? (cause as Error).message;
    throw bridleError("config_unreadable", {
      message: `The price file ${path} cannot be read: ${reason}. BRIDLE_PRICES names it.`,
      cause,
    });
  }
}
