import type { AnyAgent } from "@bridle/agent";
import type { BreakerRefusal, BreakerSet } from "@bridle/breaker";
import type { ModelCaller } from "@bridle/ports";
import type { TaskEnvelope } from "@bridle/protocol";

import { llmAgent } from "../builtin-llm-agent.ts";

export interface ModelAsk {
  readonly models: Pick<ModelCaller, "plan">;
  readonly breakers: Pick<BreakerSet, "peek">;
  readonly allowModelFallback: boolean;
  /** Targets that do not count: they have failed this step. */
  readonly without?: ReadonlySet<string> | undefined;
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
export function targetsOf(
  { models, allowModelFallback, without }: Omit<ModelAsk, "breakers">,
  name: string,
): readonly (string | undefined)[] {
  const plan = models.plan(name);
  if (plan === undefined) return [undefined];
  const cheaper = plan.cheaper === undefined ? undefined : models.plan(plan.cheaper);
  const targets = allowModelFallback
    ? [...plan.targets, ...(cheaper?.targets ?? [])]
    : plan.targets.slice(0, 1);
  return targets.filter((target) => without?.has(target) !== true);
}

/**
 * The models a task says it calls: its agent's, or the one of a prompt. None: nobody knows, and it is never parked for one. Nor is a
 * prompt that an answer given before may stand in for: that rung comes first (BR-17).
 */
export function declaredModels(agent: AnyAgent, { input }: TaskEnvelope): readonly string[] {
  if (agent.name !== llmAgent.name) return agent.models;
  const { model, cache } = (input ?? {}) as { readonly model?: unknown; readonly cache?: unknown };
  return typeof model === "string" && cache === undefined ? [model] : [];
}
