import type { RunInput } from "@bridle/dag";
import { assertNever } from "@bridle/kernel";
import type { InboxEntry, InboxMessage } from "@bridle/ports";

import type { Arrival } from "./arrival.ts";

function toInput(message: InboxMessage): RunInput {
  switch (message.kind) {
    case "finished":
      return {
        type: "task-finished",
        taskId: message.taskId,
        attempt: message.attempt,
        outcome: message.outcome,
      };
    case "spawn": {
      const { kind: type, ...asked } = message;
      return { type, ...asked };
    }
    case "cancel":
      return { type: "cancel", taskId: message.taskId, reason: message.reason, by: message.by };
    case "pause":
      return { type: "pause", reason: message.reason, by: message.by };
    case "resume":
      return { type: "resume", by: message.by };
    default:
      return assertNever(message);
  }
}

/** What an inbox entry means to its run, stamped with the time this scheduler read it. */
export function toArrival({ id, message }: InboxEntry, at: number): Arrival {
  return { input: toInput(message), at, inboxId: id };
}
