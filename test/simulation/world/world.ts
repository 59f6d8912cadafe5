import { seededRandom, sequenceIds } from "@bridle/kernel/testing";
import { wireCallBound } from "@bridle/llm";
/**
 * One scenario, played: the product's own scheduler, worker and adapters, in a time, a network and a store that obey the
 * scenario alone.
 *
 * 1. No real time, network, thread or process; the only macrotask is the one that drains promises.
 * 2. Everything that could differ between two plays comes from the seed.
 */
import { createSubmit } from "@bridle/orchestrator";
import type { Store, TaskQueue } from "@bridle/ports";
import { createMemoryQueue, createMemoryStore } from "@bridle/ports/testing";
import type { MemoryStore } from "@bridle/ports/testing";
import { installationDayLimit } from "@bridle/protocol";
import type { Amounts } from "@bridle/protocol";

import { allInvariants } from "../invariants/all-invariants.ts";
import type { Breach } from "../invariants/all-invariants.ts";
import { agentNames } from "../scenario/plays.ts";
import { losesTail } from "../scenario/scenario.ts";
import type { ActorName, Scenario } from "../scenario/scenario.ts";
import { ActorClock } from "./actor-clock.ts";
import { actorQueue } from "./actor-queue.ts";
import { actorFeed, actorStore } from "./actor-store.ts";
import type { Actor } from "./actor.ts";
import { HoldAges } from "./hold-ages.ts";
import type { Door } from "./people.ts";
import type { Running, Surroundings } from "./process.ts";
import { longestChain, modelNames, Provider } from "./provider.ts";
import { SimulationTime, takeTurns } from "./simulation-time.ts";
import { Slot } from "./slot.ts";
import { startScheduler } from "./start-scheduler.ts";
import { startWorker } from "./start-worker.ts";
import { Stirrings } from "./stirrings.ts";
import { Weather } from "./weather.ts";
import { Witness } from "./witness.ts";
import { witnessedStore } from "./witnessed-store.ts";

export interface Outcome {
  readonly breach: Breach | undefined;
  readonly hash: string;
  readonly events: number;
  readonly simulatedMs: number;
  readonly runs: number;
  readonly wireCalls: number;
}

/** A supervisor's pause before it starts a worker again that its agent has killed. */
const killedMs = 500;

export class World {
  readonly scenario: Scenario;
  readonly time = new SimulationTime();
  readonly store: MemoryStore;
  readonly witness: Witness;
  readonly slots: readonly Slot[];
  readonly #holdAges: HoldAges;
  readonly #weather: Weather;
  readonly #queue: TaskQueue;
  readonly #provider: Provider;
  readonly #stirrings = new WeakMap<Actor, Stirrings>();
  readonly #heldSince = new Map<string, number>();
  #door: Door | undefined;
  #wireCalls = 0;
  #events = 0;
  #isTold = false;

  constructor(scenario: Scenario, { isJudged = true }: { readonly isJudged?: boolean } = {}) {
    this.scenario = scenario;
    const { time } = this;
    const storeClock = new ActorClock(time);
    this.#weather = new Weather(time, this.#random(1), scenario);
    this.store = createMemoryStore({ clock: storeClock, feed: scenario.feed });
    this.#queue = createMemoryQueue({
      clock: storeClock,
      onError: (error) => this.#handlerFailed(error),
    });
    this.witness = new Witness({
      state: this.store.state,
      nowMs: () => time.nowMs,
      check: isJudged
        ? allInvariants({
            losesTail: losesTail(scenario),
            wireCalls: wireCallBound(longestChain),
          })
        : undefined,
    });
    this.#provider = this.#createProvider();
    this.slots = namesOf(scenario).map((name) => this.#slotFor(name));
    this.#holdAges = new HoldAges({
      nowMs: () => storeClock.monotonicMs(),
      machines: () => this.slots,
    });
  }

  get door(): Door | undefined {
    return this.#door;
  }

  /** Plays until `story` is told, an invariant breaks, or nothing will ever happen again. */
  async play(story: (world: World) => Promise<void>): Promise<Outcome> {
    void this.#told(story);
    // Each event's consequences come before the next event.
    await takeTurns(() => {
      if (this.#isTold || this.witness.breach !== undefined || !this.time.step()) return false;
      this.#events += 1;
      return true;
    });
    return {
      breach: this.witness.breach,
      hash: this.witness.hash,
      events: this.#events,
      simulatedMs: this.time.nowMs,
      runs: this.store.state.runs.size,
      wireCalls: this.#wireCalls,
    };
  }

  /** Of what is stored. Returns what puts it back. */
  checkpoint(): () => void {
    const back = [this.store.checkpoint(), this.#holdAges.checkpoint()];
    return () => {
      for (const putBack of back) putBack();
    };
  }

  async #told(story: (world: World) => Promise<void>): Promise<void> {
    try {
      await story(this);
    } catch (error) {
      this.witness.fault("story", describe(error));
    }
    this.#isTold = true;
  }

  #random(stream: number) {
    return seededRandom(Math.imul(this.scenario.seed + 1, 0x9e3779b1) + stream);
  }

  #createProvider(): Provider {
    return new Provider({
      time: this.time,
      weather: this.#weather,
      random: this.#random(2),
      latencyMs: this.scenario.latencyMs,
      onCall: ({ actor, runId, taskId, attempt, call, step, target, atMs }) => {
        this.#wireCalls += 1;
        this.#stirrings.get(actor)?.stir("a model call");
        this.witness.see({ type: "sent", runId, taskId, attempt, call, step, target, atMs });
      },
      onThrottled: ({ runId, taskId, attempt, call, target, untilMs }) =>
        this.witness.see({ type: "throttled", runId, taskId, attempt, call, target, untilMs }),
    });
  }

  #slotFor(name: ActorName): Slot {
    const { time, scenario } = this;
    const drift = scenario.faults.find((fault) => fault.kind === "drift" && fault.actor === name);
    return new Slot({
      name,
      time,
      weather: this.#weather,
      rate: drift?.kind === "drift" ? drift.rate : 1,
      calmAt: scenario.calmAt,
      onRunaway: () =>
        this.witness.fault("nothingIsStuck", `${name} makes calls without end at ${time.nowMs}.`),
      start: async (actor) => this.#start(actor),
    });
  }

  async #start(actor: Actor): Promise<Running> {
    this.#holdAges.started(actor.name);
    const openBreakers = new Set<string>();
    const openWhenAsked = new Map<string, readonly string[]>();
    const reach = { time: this.time, weather: this.#weather };
    const { witness } = this;
    const { state } = this.store;
    const seen = witnessedStore({
      store: this.store,
      state,
      witness,
      openWhenAsked: (holdId) => openWhenAsked.get(holdId) ?? [],
      isOut: (call) => this.#provider.isOut(call),
      heldSince: this.#heldSince,
      holdAges: this.#holdAges,
      caller: actor.name,
    });
    const stirrings = new Stirrings({ actor, state, witness });
    this.#stirrings.set(actor, stirrings);
    const reached = actorStore(seen, actor, actorFeed(this.store.feed, actor, reach));
    const dispatch: Store["ledger"]["dispatch"] = async (spender, holdId) => {
      // A permit is taken in the same turn: a breaker that opens while the call is on its way does not take it back.
      openWhenAsked.set(holdId, [...openBreakers]);
      return reached.ledger.dispatch(spender, holdId);
    };
    const store = stirrings.store({ ...reached, ledger: { ...reached.ledger, dispatch } });
    const surroundings: Surroundings = {
      actor,
      store,
      queue: stirrings.queue(actorQueue(this.#queue, actor, reach)),
      onFault: (error) => this.witness.fault(`error in ${actor.name}`, describe(error)),
    };
    if (actor.name === "door") return this.#openDoor(actor, surroundings.store);
    if (actor.name.startsWith("scheduler")) {
      return startScheduler({ ...surroundings, pages: this.scenario.pages });
    }
    return startWorker({
      ...surroundings,
      openBreakers,
      provider: this.#provider,
      random: this.#random(3),
      breakers: this.scenario.breakers,
      onEffect: (effect) => {
        if (!actor.isDead) witness.see({ type: "effect", ...effect });
      },
      onTick: () => stirrings.stir("an agent"),
      onKill: () => this.slots.find((slot) => slot.actor === actor)?.die(killedMs),
    });
  }

  #perDay(): Amounts | undefined {
    const { installation } = this.scenario.perDay ?? {};
    return installation && installationDayLimit(installation);
  }

  #openDoor(actor: Actor, store: Store): Running {
    const ids = sequenceIds();
    const door: Door = {
      store,
      wallMs: () => actor.clock.wallMs(),
      submit: createSubmit({
        store,
        clock: actor.clock,
        ids: { next: (prefix) => `${ids.next(prefix)}_${actor.bootId}` },
        newTraceId: () => "a".repeat(32),
        agents: [...agentNames],
        models: modelNames,
        perDay: this.#perDay(),
      }),
    };
    this.#door = door;
    const close = (): void => {
      if (this.#door === door) this.#door = undefined;
    };
    void actor.died.then(close);
    return { stop: async () => close(), leftovers: () => [] };
  }

  /** A claim that fails rejects the handler, which the queue only logs: that is its contract. */
  #handlerFailed(error: unknown): void {
    if ((error as { code?: unknown }).code === "store_unavailable") return;
    this.witness.fault("job handler", describe(error));
  }
}

function namesOf({ schedulers, workers }: Scenario): readonly ActorName[] {
  return [
    "door",
    ...Array.from({ length: schedulers }, (_, index): ActorName => `scheduler-${index + 1}`),
    ...Array.from({ length: workers }, (_, index): ActorName => `worker-${index + 1}`),
  ];
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
