/**
 * A whole installation in virtual time, from a seed: the product's scheduler, worker, guards, compiler, provider adapter and memory
 * adapters, under the limits of a configuration as the host composes them.
 *
 * 1. No real time, network, thread or process; agents run in the worker's own loop.
 * 2. The seed gives every latency, of the store and of the provider, and the guards' own chance.
 */
import { chaosScript, noCalls } from "@bridle/fake-agents/chaos";
import type { ChaosLimits, ChaosStage, Scenario } from "@bridle/fake-agents/chaos";
import type { ModelCounters } from "@bridle/fake-agents/fake-llm";
import type { Random } from "@bridle/kernel";
import { seededRandom, sequenceIds } from "@bridle/kernel/testing";
import { createSubmit } from "@bridle/orchestrator";
import type { Store, TaskQueue } from "@bridle/ports";
import { createMemoryQueue, createMemoryStore } from "@bridle/ports/testing";
import type { MemoryStore } from "@bridle/ports/testing";

import type { Config } from "../../../apps/host/src/config/check-config.ts";
import type { ActorName } from "../../simulation/scenario/scenario.ts";
import { ActorClock } from "../../simulation/world/actor-clock.ts";
import { actorQueue } from "../../simulation/world/actor-queue.ts";
import { actorFeed, actorStore } from "../../simulation/world/actor-store.ts";
import { Actor } from "../../simulation/world/actor.ts";
import type { Running, Surroundings } from "../../simulation/world/process.ts";
import { SimulationTime } from "../../simulation/world/simulation-time.ts";
import { startScheduler } from "../../simulation/world/start-scheduler.ts";
import { Weather } from "../../simulation/world/weather.ts";
import { inlineConfig } from "./inline-config.ts";
import { startVirtualWorker } from "./start-virtual-worker.ts";
import { virtualClient } from "./virtual-client.ts";
import { VirtualProvider } from "./virtual-provider.ts";

export interface VirtualWorldOptions {
  readonly seed: number;
  readonly scenarios: readonly Scenario[];
  readonly limits: ChaosLimits;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Longest ways, drawn per world: of a call to the store, and of a message to the provider. */
const storeMs: Range = { from: 1, to: 12 };
const providerMs: Range = { from: 1, to: 40 };
/** Entries read at once, and decisions between snapshots. */
const pages = 1000;

export class VirtualWorld implements ChaosStage {
  readonly time = new SimulationTime();
  readonly canary = "sk-virtual-canary";
  /** Has nothing to tell: agents share the worker's process. */
  readonly isolates = { alive: (): readonly number[] => [] };
  readonly provider: VirtualProvider;
  readonly client: ChaosStage["client"];
  /** Errors of the product that nothing here explains, in words. */
  readonly faults: string[] = [];
  readonly #seed: number;
  readonly #config: Config;
  readonly #store: MemoryStore;
  readonly #queue: TaskQueue;
  readonly #weather: Weather;
  readonly #door: Actor;
  readonly #scheduler: Actor;
  readonly #worker: Actor;
  #running: readonly Running[] = [];

  constructor({ seed, scenarios, limits }: VirtualWorldOptions) {
    const { time, canary } = this;
    this.#seed = seed;
    const draw = this.#random(0);
    const networkMs = between(draw, storeMs);
    this.#weather = new Weather(time, this.#random(1), { faults: [], networkMs, calmAt: 0 });
    const clock = new ActorClock(time);
    this.#store = createMemoryStore({ clock });
    this.#queue = createMemoryQueue({ clock, onError: this.#onFault });
    this.provider = new VirtualProvider({
      time,
      random: this.#random(2),
      latencyMs: between(draw, providerMs),
      clock: new ActorClock(time),
      script: chaosScript(scenarios),
      onFault: this.#onFault,
    });
    this.#config = inlineConfig({ scenarios, limits, providerUrl: this.provider.url, canary });
    this.#door = this.#actor("door");
    this.#scheduler = this.#actor("scheduler-1");
    this.#worker = this.#actor("worker-1");
    this.client = this.#openDoor();
  }

  get clock(): ActorClock {
    return this.#door.clock;
  }

  /** By which the agents wait. */
  get agentClock(): ActorClock {
    return this.#worker.agentClock;
  }

  counted(scenario: string): ModelCounters {
    return this.provider.counters().byModel[scenario] ?? noCalls;
  }

  async start(): Promise<void> {
    const { fetch } = this.provider;
    const options = { config: this.#config, fetch, random: this.#random(3) };
    this.#running = await Promise.all([
      startVirtualWorker(this.#surroundings(this.#worker), options),
      startScheduler({ ...this.#surroundings(this.#scheduler), pages }),
    ]);
  }

  /** In the order of a real one: the worker first. */
  async stop(): Promise<void> {
    for (const running of this.#running) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the order
      await running.stop();
    }
  }

  /** After `stop`: what is still held anywhere, in words. */
  async leftovers(): Promise<readonly string[]> {
    const { runs, inbox } = this.#store.state;
    const holds = [...runs.values()].reduce((sum, { ledger }) => sum + ledger.open.size, 0);
    const leases = await this.#store.leases.live("");
    const counted: readonly (readonly [string, number])[] = [
      ["holds", holds],
      ["entries in the inbox", inbox.size],
      ["leases", leases.length],
      ["requests at the provider", this.provider.counters().open],
      ["timers of the server", this.#door.clock.pendingTimers],
      ["timers of the scheduler", this.#scheduler.clock.pendingTimers],
      ["timers of the worker", this.#worker.clock.pendingTimers],
    ];
    return [
      ...this.#running.flatMap((running) => running.leftovers()),
      ...counted.filter(([, count]) => count > 0).map(([what, count]) => `${count} ${what}`),
    ];
  }

  #random(stream: number): Random {
    return seededRandom(Math.imul(this.#seed + 1, 0x9e3779b1) + stream);
  }

  #actor(name: ActorName): Actor {
    const { time } = this;
    const onRunaway = (): void => this.#onFault(new Error(`${name} makes calls without end.`));
    const weather = this.#weather;
    return new Actor({ name, boot: 1, rate: 1, time, weather, onCrash: () => {}, onRunaway });
  }

  #surroundings(actor: Actor): Surroundings {
    const queue = actorQueue(this.#queue, actor, { time: this.time, weather: this.#weather });
    return { actor, store: this.#reached(actor), queue, onFault: this.#onFault };
  }

  #reached(actor: Actor): Store {
    const reach = { time: this.time, weather: this.#weather };
    return actorStore(this.#store, actor, actorFeed(this.#store.feed, actor, reach));
  }

  #openDoor(): ChaosStage["client"] {
    const { clock } = this.#door;
    const store = this.#reached(this.#door);
    const submit = createSubmit({
      store,
      clock,
      ids: sequenceIds(),
      newTraceId: () => "a".repeat(32),
      agents: this.#config.agents.map(({ name }) => name),
      models: Object.keys(this.#config.models),
    });
    return virtualClient({ store, submit, clock });
  }

  readonly #onFault = (error: unknown): void => {
    this.faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  };
}

function between(random: Random, { from, to }: Range): number {
  return from + random.next() * (to - from);
}
