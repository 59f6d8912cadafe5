import type { EnvelopeView, RunView } from "@bridle/protocol";

import type { Evidence, LogEvent } from "../src/chaos/index.ts";

const amounts = (tokens: number) => ({ tokens: String(tokens), nanoUsd: "0", calls: "0" });

const event = (type: string, at: number, members: Readonly<Record<string, unknown>>): LogEvent => ({
  type,
  at,
  ...members,
});

const steps = Array.from({ length: 20 }, (_, index) =>
  event("step.finished", 200 + index, { taskId: "neighbour", kind: "step", outcome: "success" }),
);

const log: readonly LogEvent[] = [
  event("run.submitted", 0, {}),
  event("task.started", 100, { taskId: "villain" }),
  event("task.started", 100, { taskId: "neighbour" }),
  ...steps,
  event("task.completed", 300, { taskId: "neighbour", outputBytes: '{"steps":20}'.length }),
  event("task.timed_out", 1100, { taskId: "villain" }),
  event("task.killed", 1600, { taskId: "villain", signal: "SIGKILL" }),
  event("task.failed", 1620, { taskId: "villain" }),
  event("run.finished", 1620, {}),
];

const envelope = {
  envelope: "run",
  limit: amounts(1000),
  settled: amounts(120),
  reserved: amounts(0),
  tripped: false,
  closed: true,
} satisfies EnvelopeView;

// Of a run's view only these members are judged; the rest of it is the API's, and tested there.
const view = {
  runId: "run_1",
  status: "FAILED",
  tasks: [
    { id: "villain", status: "TIMED_OUT", stop: { reason: "task_timeout", guard: "watchdog" } },
    { id: "neighbour", status: "COMPLETED" },
  ],
} as unknown as RunView;

const counted = { requests: 1, promptTokens: 100, completionTokens: 20 };

/** A villain that was timed out, killed and reclaimed as it should be, beside a neighbour that did its work. */
export const goodEvidence: Evidence = {
  view,
  log,
  envelopes: [envelope],
  countedAtEnd: counted,
  countedLater: counted,
  aliveAtEnd: [],
  aliveLater: [],
  openLater: 0,
  wasUnplugged: false,
  canary: "sk-canary",
};

/** The same with another end of the villain, or of the neighbour. */
export function withTask(id: string, change: Readonly<Record<string, unknown>>): Evidence {
  const tasks = view.tasks.map((task) => (task.id === id ? { ...task, ...change } : task));
  return { ...goodEvidence, view: { ...view, tasks } };
}

export function withEnvelope(change: Partial<EnvelopeView>): Evidence {
  return { ...goodEvidence, envelopes: [{ ...envelope, ...change }] };
}

/** The same with the first entry of a type at another time, or gone. */
export function withEntry(type: string, at: number | undefined): Evidence {
  const index = goodEvidence.log.findIndex((entry) => entry.type === type);
  const found = goodEvidence.log[index];
  const put = found === undefined || at === undefined ? [] : [{ ...found, at }];
  const changed = [...goodEvidence.log];
  changed.splice(index, 1, ...put);
  return { ...goodEvidence, log: changed };
}

export { amounts };
