/**
 * Plays one scenario on a stage: submits, follows, and reads what there is to be read when it has ended.
 *
 * 1. What nobody stops within its bound and then some is cancelled: the plug is pulled, and the evidence says so.
 * 2. Counters and the process table are read at the villain's end, before anything else is waited for.
 */
import { readLog } from "@bridle/client";
import type { Client } from "@bridle/client";
import type { Clock } from "@bridle/kernel";

import type { ModelCounters } from "../fake-llm/index.ts";
import { chaosWorkflow } from "./chaos-workflow.ts";
import { isEnd, noCalls } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import { villain } from "./scenario.ts";
import type { ImpliedLimits, Place, Scenario } from "./scenario.ts";

/** What a scenario is played on: a real installation, or one in virtual time. */
export interface ChaosStage {
  readonly client: Pick<
    Client,
    "submit" | "follow" | "cancel" | "cancelTask" | "get" | "budgets" | "events"
  >;
  readonly provider: { readonly url: string };
  readonly isolates: { alive(taskKey: string): readonly number[] };
  /** By which nobody is waited for too long. */
  readonly clock: Clock;
  readonly canary: string;
  /** Of the scenario's own model. */
  counted(scenario: string): ModelCounters;
}

/** What is known when the run has ended; the rest is read once the whole round has. */
export type EarlyEvidence = Omit<Evidence, "countedLater" | "aliveLater" | "openLater">;

export interface PlayOptions {
  readonly limits: ImpliedLimits;
  readonly guards: Place["guards"];
  /** Contract: called when the villain starts and when it has ended; must not throw. */
  readonly onState?: ((state: "running" | "stopped") => void) | undefined;
}

/** Beyond the bound: a little later is still "not stopped", not "we did not look". */
const patienceMs = 5000;
/** Without guards nobody is waited for: as long as it takes to see that nothing happens. */
const offPatienceMs = 15_000;

export async function playScenario(
  stage: ChaosStage,
  scenario: Scenario,
  options: PlayOptions,
): Promise<EarlyEvidence> {
  const { client, provider, clock } = stage;
  const { guards, limits } = options;
  const place = { guards, providerUrl: provider.url };
  const { runId } = await client.submit(chaosWorkflow(scenario, place), {});
  let wasUnplugged = false;
  const patience =
    guards === "off" ? (scenario.offMs ?? offPatienceMs) : scenario.withinMs(limits) + patienceMs;
  const plug = clock.setTimer(patience, () => {
    wasUnplugged = true;
    cancel(client, runId);
  });
  try {
    const atEnd = await followVillain(stage, scenario, { ...options, runId });
    const [view, { envelopes }, log] = await Promise.all([
      client.get(runId),
      client.budgets(runId),
      readLog(client, runId),
    ]);
    return { view, envelopes, log, ...atEnd, wasUnplugged, canary: stage.canary };
  } finally {
    plug.cancel();
  }
}

type Orders = ChaosStage["client"];

function cancel(client: Orders, runId: string): void {
  // A run that has just ended by itself cannot be cancelled, and need not be.
  client.cancel(runId, "the scenario is over").catch(() => undefined);
}

function endVillain(client: Orders, runId: string): void {
  client.cancelTask(runId, villain, "it is held back for good").catch(() => undefined);
}

interface AtEnd {
  readonly countedAtEnd: ModelCounters;
  readonly aliveAtEnd: readonly number[];
}

async function followVillain(
  stage: ChaosStage,
  scenario: Scenario,
  { runId, guards, onState }: PlayOptions & { readonly runId: string },
): Promise<AtEnd> {
  let atEnd: AtEnd = { countedAtEnd: noCalls, aliveAtEnd: [] };
  let wasKilled = false;
  for await (const { event: type, data } of stage.client.follow(runId, { afterSeq: 0 })) {
    if (data["taskId"] !== villain) continue;
    if (guards === "on") cancelHeldBack(stage, scenario, { ...data, type, runId });
    if (type === "task.started") onState?.("running");
    wasKilled ||= type === "task.killed";
    if (!isEnd({ type })) continue;
    onState?.("stopped");
    atEnd = {
      countedAtEnd: stage.counted(scenario.name),
      // An isolate whose task ended well stays warm for the next one; what was killed must be gone.
      aliveAtEnd: wasKilled ? stage.isolates.alive(`${runId}/${villain}`) : [],
    };
  }
  return atEnd;
}

function cancelHeldBack(
  { client }: ChaosStage,
  { cancelAt }: Scenario,
  event: Readonly<Record<string, unknown>> & { readonly runId: string },
): void {
  if (cancelAt?.(event) === true) endVillain(client, event.runId);
}
