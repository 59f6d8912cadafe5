import { copyOuter, restoreLedger, snapshotLedger } from "@bridle/budget";

import type { MemoryState, OutboxRecord, RunRecord, TaskRecord } from "./memory-state.ts";

/**
 * A copy of everything the store holds, and the way back to it. Ids given since then are not given again: a process that
 * lived through the loss may still name them.
 */
export function checkpointOf(state: MemoryState): () => void {
  const runs = [...state.runs].map(([runId, run]) => [runId, frozenRun(run)] as const);
  const outer = [...state.outer.values()].map(copyOuter);
  const idempotency = [...state.idempotency];
  const inbox = [...state.inbox];
  const leases = [...state.leases].map(([name, lease]) => [name, { ...lease }] as const);
  const openClaims = [...state.openClaims];
  const outbox = copyOutbox(state.outbox);
  return () => {
    refill(
      state.outer,
      outer.map((one) => [one.scope, copyOuter(one)] as const),
    );
    refill(
      state.runs,
      runs.map(([runId, thaw]) => [runId, thaw(state.outer)] as const),
    );
    refill(state.idempotency, idempotency);
    refill(state.inbox, inbox);
    refill(
      state.leases,
      leases.map(([name, lease]) => [name, { ...lease }] as const),
    );
    state.openClaims.clear();
    for (const claim of openClaims) state.openClaims.add(claim);
    const { signals, alerts, state: known } = copyOutbox(outbox);
    state.outbox.signals.splice(0, state.outbox.signals.length, ...signals);
    state.outbox.alerts.splice(0, state.outbox.alerts.length, ...alerts);
    state.outbox.state = known;
  };
}

function copyOutbox({ signals, alerts, state }: OutboxRecord): OutboxRecord {
  const copies = alerts.map((alert) => ({ ...alert, deliveries: new Map(alert.deliveries) }));
  return { signals: [...signals], alerts: copies, state };
}

/** Makes the copy now; each call of the result is a record of its own. */
function frozenRun(run: RunRecord): (outer: MemoryState["outer"]) => RunRecord {
  const ledger = snapshotLedger(run.ledger);
  const copy = copyRun(run);
  const scopes = (run.ledger.grant?.above ?? []).map(({ scope }) => scope);
  return (outer) => {
    const above = scopes.flatMap((scope) => outer.get(scope) ?? []);
    return { ...copyRun(copy), ledger: restoreLedger(ledger, above) };
  };
}

function copyRun(run: RunRecord): RunRecord {
  return {
    ...run,
    log: [...run.log],
    inputs: new Map(run.inputs),
    answers: new Map(run.answers),
    tasks: new Map([...run.tasks].map(([taskId, task]) => [taskId, copyTask(task)])),
    timers: new Map(run.timers),
  };
}

function copyTask(task: TaskRecord): TaskRecord {
  return {
    ...task,
    claims: new Map(task.claims),
    finishes: new Map(task.finishes),
    stops: new Map(task.stops),
    steps: new Map([...task.steps].map(([name, step]) => [name, { ...step }])),
  };
}

function refill<Key, Value>(
  map: Map<Key, Value>,
  entries: readonly (readonly [Key, Value])[],
): void {
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}
