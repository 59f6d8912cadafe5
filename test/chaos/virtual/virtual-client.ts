/** What a client does over HTTP, on the store itself: the same views and the same log, through JSON and the API's schemas. */
import type { StreamMessage } from "@bridle/client";
import type { ChaosStage } from "@bridle/fake-agents/chaos";
import { sleep } from "@bridle/kernel";
import type { Clock } from "@bridle/kernel";
import type { Submit } from "@bridle/orchestrator";
import type { InboxMessage, Store } from "@bridle/ports";
import {
  asRunId,
  asTaskId,
  envelopeListSchema,
  eventPageSchema,
  runViewSchema,
} from "@bridle/protocol";
import type { RunView } from "@bridle/protocol";

import { envelopeView, RunViews } from "../../../apps/server/src/views/run-views.ts";

export interface VirtualClientOptions {
  readonly store: Store;
  readonly submit: Submit;
  readonly clock: Clock;
}

/** From one look at a followed log to the next. */
const lookMs = 20;
const pageSize = 200;
const by = "somebody";

export function virtualClient({
  store,
  submit,
  clock,
}: VirtualClientOptions): ChaosStage["client"] {
  const views = new RunViews(store);
  const get = async (id: string): Promise<RunView> =>
    runViewSchema.parse(throughJson(await views.view(id)));
  const tell = async (id: string, message: InboxMessage): Promise<RunView> => {
    await store.inbox.put(asRunId(id), message, clock.wallMs());
    return get(id);
  };
  return {
    submit: async (spec, input) => ({ ...(await submit({ spec, input })), status: "QUEUED" }),
    get,
    cancel: async (id, reason = "") => tell(id, { kind: "cancel", reason, by }),
    cancelTask: async (id, taskId, reason = "") =>
      tell(id, { kind: "cancel", taskId: asTaskId(taskId), reason, by }),
    budgets: async (id) => {
      const envelopes = await store.ledger.envelopes(asRunId(id));
      return envelopeListSchema.parse(throughJson({ envelopes: envelopes.map(envelopeView) }));
    },
    events: async (id, { afterSeq = 0, limit = pageSize } = {}) => {
      const events = await store.runs.read(asRunId(id), { afterSeq, limit });
      const next = events.length < limit ? undefined : events.at(-1)?.seq;
      return eventPageSchema.parse(throughJson({ events, next }));
    },
    follow: (id, { afterSeq = 0 } = {}) => follow({ store, clock, id, afterSeq }),
  };
}

interface Following extends Pick<VirtualClientOptions, "store" | "clock"> {
  readonly id: string;
  readonly afterSeq: number;
}

async function* follow({
  store,
  clock,
  id,
  afterSeq,
}: Following): AsyncGenerator<StreamMessage, void> {
  for (let seq = afterSeq; ;) {
    // oxlint-disable-next-line no-await-in-loop -- each page starts where the last one ended
    const entries = await store.runs.read(asRunId(id), { afterSeq: seq, limit: pageSize });
    for (const entry of entries) {
      yield { event: entry.type, seq: entry.seq, data: throughJson(entry) };
      if (entry.type === "run.finished") return;
      ({ seq } = entry);
    }
    // oxlint-disable-next-line no-await-in-loop -- waits for the log to grow
    if (entries.length < pageSize) await sleep({ clock, ms: lookMs });
  }
}

function throughJson(value: object): Record<string, unknown> {
  // An object's text is an object.
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}
