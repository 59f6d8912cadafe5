import type { AnyAgent } from "@bridle/agent";
import type { BreakerRefusal, BreakerSet } from "@bridle/breaker";
import type { ModelCaller } from "@bridle/ports";
import type { TaskEnvelope } from "@bridle/protocol";

import { llmAgent } from "../builtin-llm-agent.ts";

export interface ModelAsk {
  readonly models: Pick<ModelCaller, "plan">;
  readonly breakers: Pick<BreakerSet, "peek">;
  readonly allowModelFallback: boolean;
}

/**
 * Whether nothing that could answer for these models may be asked now: neither a target of a chain nor of the model that stands in
 * for it (BR-17, BR-18). The refusal that ends first; undefined when one may be asked, or when there is nothing to judge by.
 */
export function refusalOfAll(ask: ModelAsk, names: readonly string[]): BreakerRefusal | undefined {
  let soonest: BreakerRefusal | undefined;
  for (const target of names.flatMap((name) => targetsOf(ask, name))) {
    const answer = target === undefined ? undefined : ask.breakers.peek([`provider:${target}`]);
    if (answer === undefined || answer.allowed) return undefined;
    if (soonest === undefined || answer.retryAfterMs < soonest.retryAfterMs) soonest = answer;
  }
  return soonest;
}

/** An unknown model is no target: the call says so. */
function targetsOf(
  { models, allowModelFallback }: ModelAsk,
  name: string,
): readonly (string | undefined)[] {
  const plan = models.plan(name);
  if (plan === undefined) return [undefined];
  if (!allowModelFallback) return plan.targets.slice(0, 1);
  const cheaper = plan.cheaper === undefined ? undefined : models.plan(plan.cheaper);
  return [...plan.targets, ...(cheaper?.targets ?? [])];
}

/** The models a task says it calls: its agent's, or the one of a prompt. None: nobody knows, and it is never parked for one. */
export function declaredModels(agent: AnyAgent, { input }: TaskEnvelope): readonly string[] {
  if (agent.name !== llmAgent.name) return agent.models;
  const model = (input as { readonly model?: unknown } | null)?.model;
  return typeof model === "string" ? [model] : [];
}
