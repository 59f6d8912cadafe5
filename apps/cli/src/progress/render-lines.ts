import type { StreamMessage } from "@bridle/client";

import { plainText } from "../text/format.ts";
import { oneLine } from "../text/sanitize.ts";

/** Members that say something about an event to a person, in this order. */
const shown = [
  "taskId",
  "attempt",
  "agent",
  "status",
  "cause",
  "code",
  "message",
  "reason",
  "layer",
  "clock",
  "signal",
  "timeToStopMs",
  "breaker",
  "key",
  "refusal",
  "items",
  "delayMs",
] as const;

/** What every step writes: too much for lines, and all of it is in `bridle runs events`. */
const quiet =
  /^(?:ping|run\.snapshot|step\.|llm\.|budget\.(?:reserved|settled|released|closed)|task\.(?:heartbeat|claimed))/;

/** One line per event that a person following along wants to know of; undefined for the others. */
export function renderProgressLine(message: StreamMessage): string | undefined {
  return quiet.test(message.event) ? undefined : renderLine(message);
}

/** Any event as a line: when, what, and the members that say something to a person. */
export function renderLine({ event, data }: StreamMessage): string {
  const at = typeof data["at"] === "number" ? new Date(data["at"]).toISOString().slice(11, 23) : "";
  const fields = shown.flatMap((name) => {
    const value = data[name];
    return value === undefined ? [] : [`${name}=${oneLine(plainText(value))}`];
  });
  return `${at} ${event.padEnd(16)} ${fields.join(" ")}`.trim();
}
