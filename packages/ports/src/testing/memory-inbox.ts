import type { Inbox } from "../inbox.ts";
import { answerId, moveLedger, putInbox } from "./memory-state.ts";
import type { MemoryState } from "./memory-state.ts";

/** `Inbox` on shared memory. */
export function memoryInbox(state: MemoryState): Inbox {
  return {
    put: async (runId, message, at) => {
      const run = state.runs.get(runId);
      if (run && message.kind === "cancel") {
        moveLedger(state, run, { type: "close", envelope: message.taskId ?? "run", at });
      }
      putInbox(state, runId, message);
    },
    read: async (limit) => [...state.inbox.values()].slice(0, limit),
    answers: async (runId, taskId, keys) => {
      const answers = state.runs.get(runId)?.answers;
      return keys.map((key) => answers?.get(answerId(taskId, key)));
    },
    discard: async (ids) => {
      for (const id of ids) state.inbox.delete(id);
    },
  };
}
