/**
 * `ctx.spawn`: asks the scheduler for a task (LF-8).
 *
 * P1. What is no task is refused here, before anybody else is asked: an unknown or undeclared agent, bad options, a large input.
 * P2. The key is the same in each attempt of the task, so that a later one is given the tasks that an earlier one spawned.
 * P3. It is a step: it counts, it advances the task, and the task's clocks stand still while the scheduler decides.
 */
import { createHash } from "node:crypto";

import type { CodedError } from "@bridle/kernel";
import {
  bridleError,
  defaultLimits,
  spawnAnswerKey,
  spawnAnswerSchema,
  spawnRequestSchema,
  statedLimits,
} from "@bridle/protocol";
import type { SpawnRequest } from "@bridle/protocol";

import type { AttemptScope } from "./attempt-scope.ts";
import { inStep } from "./in-step.ts";
import type { Step } from "./step-book.ts";

/** Answers with JSON text of `{ taskId }`. */
export async function serveSpawn(scope: AttemptScope, requestText: string): Promise<string> {
  return inStep(scope, { kind: "spawn", key: agentIn(requestText) }, async (step) =>
    JSON.stringify({ taskId: await ask(scope, step, checked(scope, requestText)) }),
  );
}

/** As far as it can be read: the step's key, also of a request that is refused. */
function agentIn(requestText: string): string {
  const { agent } = JSON.parse(requestText) as { readonly agent?: unknown };
  return typeof agent === "string" ? agent.slice(0, 64) : "";
}

/** P1. */
function checked({ agent, worker }: AttemptScope, requestText: string): SpawnRequest {
  const parsed = spawnRequestSchema.safeParse(JSON.parse(requestText));
  if (!parsed.success) throw invalid(firstFault(parsed.error.issues));
  const { agent: wanted, input } = parsed.data;
  if (!worker.agentNames.has(wanted)) {
    throw bridleError("agent_unknown", {
      message: `No agent "${wanted}" is configured: it can be no task. There are ${[...worker.agentNames].join(", ")}.`,
      details: { agent: wanted },
    });
  }
  if (!agent.spawns.includes(wanted)) {
    throw bridleError("spawn_undeclared", {
      message: `The agent "${agent.name}" does not declare that it spawns "${wanted}". Add it to the agent's spawns.`,
      details: { agent: wanted },
    });
  }
  const bytes = Buffer.byteLength(JSON.stringify(input ?? null), "utf8");
  if (bytes > defaultLimits.bodyBytes) {
    throw invalid(`its input has ${bytes} bytes, and ${defaultLimits.bodyBytes} are allowed`);
  }
  return parsed.data;
}

function firstFault(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string {
  const { path = [], message = "it has no form" } = issues[0] ?? {};
  return path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
}

function invalid(reason: string): CodedError {
  return bridleError("spawn_invalid", { message: `This is no task to spawn: ${reason}` });
}

async function ask(scope: AttemptScope, step: Step, request: SpawnRequest): Promise<string> {
  const { worker, spender, clocks, desk } = scope;
  const { taskId, attempt, runId } = spender;
  const requestId = `${attempt}.${step.number}`;
  const message = { kind: "spawn", taskId, attempt, request: requestId } as const;
  const at = worker.clock.wallMs();
  await worker.store.inbox.put(runId, { ...message, ...messageOf(scope, request) }, at);
  clocks.await(step.number, "scheduler");
  const answer = JSON.parse(await desk.until(taskId, spawnAnswerKey(requestId))) as unknown;
  const told = spawnAnswerSchema.parse(answer);
  if (told.outcome === "spawned") return told.taskId;
  const { code, message: why, details } = told;
  throw bridleError(code, { message: why, details });
}

function messageOf({ keys, worker }: AttemptScope, request: SpawnRequest) {
  const { agent, input, key, budget, timeout, retry } = request;
  const text = JSON.stringify(input ?? null);
  const digest = digestOf([agent, text, budget, timeout, retry]);
  return {
    task: {
      agent,
      // P2. A name of the author's cannot be one of ours.
      key: key === undefined ? keys.spawn(agent, digest) : `key:${key}`,
      digest,
      ...(timeout?.step === undefined ? {} : { stepMs: timeout.step }),
      ...(timeout?.task === undefined ? {} : { taskMs: timeout.task }),
      ...(retry === undefined ? {} : { retry }),
    },
    limit: statedLimits(budget),
    input: text,
    isEnforced: worker.settings.budgetMode === "enforce",
  };
}

function digestOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}
