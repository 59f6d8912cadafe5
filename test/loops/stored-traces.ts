import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Trace } from "./trace.ts";

/** Of `corpus/<folder>`, in the order of their names. */
export function storedTraces(folder: "blind" | "recorded"): readonly Trace[] {
  const path = fileURLToPath(new URL(`corpus/${folder}/`, import.meta.url));
  return readdirSync(path)
    .filter((file) => file.endsWith(".json"))
    .toSorted()
    .map((file) => toTrace(readFileSync(path + file, "utf8")));
}

function toTrace(text: string): Trace {
  // Files of this repository, each of which a test holds to its shape.
  const { loopStartsAt, ...trace } = JSON.parse(text) as Stored;
  return { ...trace, loopStartsAt: loopStartsAt ?? undefined };
}

interface Stored extends Omit<Trace, "loopStartsAt"> {
  readonly loopStartsAt?: number | null;
}
