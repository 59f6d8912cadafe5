import type { CompiledWorkflow } from "@bridle/dag";

import type { Invariant, Observation } from "./observation.ts";

type Dispatched = Extract<Observation, { type: "dispatched" }>;
type Sent = Extract<Observation, { type: "sent" }>;

/**
 * 2 and 7. Seen at the provider: every call was let out by the ledger, once, under a fence that was not newer, while its
 * envelopes were open, and past no open breaker. A store that does not answer lets nothing out, so it fails closed.
 */
export function callsAreLetOut(): Invariant {
  const waiting = new Map<string, Dispatched[]>();
  const workflows = new Map<string, CompiledWorkflow>();
  const spawned = new Map<string, string>();
  return (seen) => {
    if (seen.type === "entry" && seen.entry.type === "task.spawned") {
      spawned.set(`${seen.runId}/${seen.entry.taskId}`, seen.entry.agent);
    }
    if (seen.type === "submitted") workflows.set(seen.runId, seen.workflow);
    if (seen.type === "dispatched") {
      const key = keyOf(seen);
      waiting.set(key, [...(waiting.get(key) ?? []), seen]);
      return dispatchFault(seen);
    }
    if (seen.type !== "sent") return undefined;
    const letOut = waiting.get(keyOf(seen))?.shift();
    if (letOut === undefined) {
      return `A model call of ${keyOf(seen)} reached the provider without a dispatched hold of its own.`;
    }
    const workflow = workflows.get(seen.runId);
    const agent = spawned.get(`${seen.runId}/${seen.taskId}`) ?? agentOf(workflow, seen.taskId);
    return breakerFault(seen, letOut, { workflow, agent });
  };
}

function keyOf({ runId, taskId, attempt, step }: Sent | Dispatched): string {
  return `${runId}/${taskId}#${attempt} step ${step}`;
}

function dispatchFault(seen: Dispatched): string | undefined {
  if (seen.attempt < seen.fence) {
    return `A call of ${keyOf(seen)} was let out below the fence ${seen.fence}.`;
  }
  return seen.isClosed
    ? `A call of ${keyOf(seen)} was let out of a closed envelope or an ended run.`
    : undefined;
}

function agentOf(workflow: CompiledWorkflow | undefined, taskId: string): string {
  return workflow?.tasks.find(({ id }) => id === taskId.split("[")[0])?.agent ?? "";
}

interface Caller {
  readonly workflow: CompiledWorkflow | undefined;
  readonly agent: string;
}

function breakerFault(sent: Sent, { open }: Dispatched, caller: Caller): string | undefined {
  const refused = breakersOf(sent, caller).find((key) => open.includes(key));
  return refused === undefined
    ? undefined
    : `A call of ${keyOf(sent)} was let out although the breaker ${refused} was open.`;
}

/** BR-13: the narrow keys and their umbrellas. */
function breakersOf({ runId, target }: Sent, { workflow, agent }: Caller): readonly string[] {
  return [
    `provider:${target}`,
    `provider:${target.split("/")[0] ?? ""}`,
    `agent:${workflow?.name ?? ""}/${agent}`,
    `agent:${agent}`,
    `chain:${runId}`,
  ];
}
