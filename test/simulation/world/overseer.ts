/**
 * Looks at a world without faults every few seconds, for what does not move. Runs end by their own timeouts whatever goes
 * wrong, so that they end says little; that nothing waits longer than its clock allows says that the clocks work.
 */
import { openingHoldOf, type CompiledWorkflow } from "@bridle/dag";
import type { RunRecord } from "@bridle/ports/testing";
import type { Spender } from "@bridle/protocol";
import { jobId, spawnDepth } from "@bridle/protocol";

import { agentConcurrency } from "../scenario/plays.ts";
import { wallStartMs } from "./actor-clock.ts";
import { RunTimes } from "./run-times.ts";
import { levelsAbove } from "./witnessed-ledger.ts";
import type { World } from "./world.ts";

const lookEveryMs = 5000;
/** Of a scheduler for unclaimed attempts, by a slow clock. */
const betweenLooksMs = 12_000;
/** For lost ones. */
const betweenPollsMs = 2500;

/** How long each may be seen without a change, with a look's and a drifting clock's share on top. */
const boundsMs = {
  /** Polled every 2 s. */
  "inbox entry": 15_000,
  /** A lease of 8 s, a poll of 2 s. */
  "attempt of a dead worker": 20_000,
  /** A stop order within 2 s, 5 s of grace. */
  "attempt of an ended run": 20_000,
  /** Beyond its task clock: its waits, the grace, the cancel's grace. */
  attempt: 110_000,
  /** Beyond its run clock: the overdue timer; by wall clocks. */
  "run's clock": 35_000,
  /** A cancel that nobody answers is over after 20 s; by wall clocks. */
  "run that winds down": 45_000,
  /** Fenced with its decision; after a commit that was given up, with the next reconciliation. */
  "decided attempt below its fence": 20_000,
  /** Enqueued again after 10 s; by wall clocks. */
  "unclaimed attempt": 40_000,
  /** A step that waits holds nothing (BU-8). */
  "hold that was not dispatched": 12_000,
  /**
   * Expires after a minute without renewal, looked for every 10 s; by wall clocks. So does the opening of a stand-in
   * that has not reserved yet: it keeps room for a task that may still wait for its breaker, and nobody renews it.
   */
  "hold of nobody": 105_000,
  /** By wall clocks. */
  "due timer": 15_000,
} as const;

type What = keyof typeof boundsMs;

/** Those that go by wall clocks take as much longer as these have been put wrong. */
const byWall: ReadonlySet<What> = new Set([
  "run that winds down",
  "unclaimed attempt",
  "run's clock",
  "hold of nobody",
  "due timer",
]);

/** What waits, under which name, and for how long it may beyond its bound. */
type Waiting = readonly [what: What, which: string, extraMs?: number | undefined];

interface Wait {
  readonly sinceMs: number;
  /** The longest that it was ever allowed: who stood behind others has waited for them when they are served. */
  readonly mostMs: number;
}

export class Overseer {
  readonly #world: World;
  readonly #waits = new Map<string, Wait>();
  /** By compiled workflow; a long campaign has many worlds. */
  readonly #timeoutsMs = new Map<string, number>();
  readonly #times = new RunTimes();
  readonly #wrongMs: number;

  constructor(world: World) {
    this.#world = world;
    this.#wrongMs = world.scenario.faults.reduce(
      (sum, fault) =>
        sum + (fault.kind === "wall" && fault.actor !== "all" ? Math.abs(fault.byMs) : 0),
      0,
    );
  }

  #mostMs(what: What): number {
    return boundsMs[what] + (byWall.has(what) ? this.#wrongMs : 0);
  }

  /** From now on. The last look is the one at which the world has ended. */
  start(): void {
    const { time, witness } = this.#world;
    const look = (): void => {
      witness.see({ type: "look", stuck: this.#stuck() });
      time.at(time.nowMs + lookEveryMs, look);
    };
    look();
  }

  #stuck(): readonly string[] {
    const { nowMs } = this.#world.time;
    const seen = [...this.#waiting()];
    const names = new Set(seen.map(([what, which]) => `${what} ${which}`));
    for (const name of this.#waits.keys()) if (!names.has(name)) this.#waits.delete(name);
    const waiting = seen.flatMap(([what, which, extraMs = 0]) => {
      const name = `${what} ${which}`;
      const before = this.#waits.get(name);
      const sinceMs = before?.sinceMs ?? nowMs;
      const mostMs = Math.max(before?.mostMs ?? 0, this.#mostMs(what) + extraMs);
      this.#waits.set(name, { sinceMs, mostMs });
      return nowMs - sinceMs > mostMs ? [`${name} for ${nowMs - sinceMs} ms`] : [];
    });
    return [...waiting, ...this.#overdueRuns()];
  }

  /** Runs have clocks of their own, which stand now and then. */
  #overdueRuns(): readonly string[] {
    const { store, time } = this.#world;
    const overdue: string[] = [];
    for (const run of store.state.runs.values()) {
      if (run.ended) continue;
      const { advancingMs, endingForMs } = this.#times.look(run, time.nowMs);
      const { runId, compiled } = run.submitted;
      const mostMs = this.#runTimeoutMs(compiled) + this.#mostMs("run's clock");
      if (advancingMs > mostMs) overdue.push(`run's clock of ${runId} after ${advancingMs} ms`);
      if (endingForMs > this.#mostMs("run that winds down") + generationsOf(run) * oneStopMs) {
        overdue.push(`run that winds down ${runId} for ${endingForMs} ms`);
      }
    }
    return overdue;
  }

  *#waiting(): Generator<Waiting> {
    const { state } = this.#world.store;
    for (const { id, message } of state.inbox.values()) {
      yield ["inbox entry", `${id} (${message.kind})`];
    }
    yield* this.#claims();
    yield* this.#unclaimed();
    for (const run of state.runs.values()) yield* this.#waitingOf(run);
  }

  *#claims(): Generator<Waiting> {
    const { store, scenario } = this.#world;
    const { state } = store;
    // A page of them with each poll, so that a family that died at once is found one after the other.
    const lostMs = (state.openClaims.size / scenario.pages) * betweenPollsMs;
    for (const claim of state.openClaims) {
      const run = state.runs.get(claim.runId);
      if (run === undefined) continue;
      if (!this.#isAlive(claim.bootId)) {
        const isAtFence = run.tasks.get(claim.taskId)?.fence === claim.attempt;
        if (!run.ended && isAtFence) yield ["attempt of a dead worker", jobId(claim), lostMs];
      } else if (run.ended) yield ["attempt of an ended run", jobId(claim)];
      else {
        const mostMs = this.#mayTakeMs(run, claim.taskId) + waitedMs(run, claim);
        yield ["attempt", jobId(claim), mostMs];
      }
    }
  }

  /** Its own clock; whoever waits for tasks below it has as long as its run. */
  #mayTakeMs(run: RunRecord, taskId: string): number {
    const { taskMs = 0 } = envelopeOf(run.inputs.get(taskId));
    const hasChildren = [...run.tasks.keys()].some((id) => id.startsWith(`${taskId}.`));
    return hasChildren ? this.#runTimeoutMs(run.submitted.compiled) : taskMs;
  }

  #isAlive(bootId: string | undefined): boolean {
    return this.#world.slots.some(({ actor }) => actor !== undefined && actor.bootId === bootId);
  }

  *#waitingOf(run: RunRecord): Generator<Waiting> {
    const { runId } = run.submitted;
    const wallMs = wallStartMs + this.#world.time.nowMs;
    for (const { holdId, status, taskId, attempt } of run.ledger.open.values()) {
      const isHeldByOne =
        holdId !== openingHoldOf(runId, taskId) &&
        this.#isAlive(run.tasks.get(taskId)?.claims.get(attempt)?.bootId);
      if (!isHeldByOne) yield ["hold of nobody", holdId];
      else if (status === "held") yield ["hold that was not dispatched", holdId];
    }
    for (const [key, at] of run.timers) {
      if (at <= wallMs) yield ["due timer", `${key} of ${runId}`];
    }
    if (!run.ended) yield* this.#unfenced(run);
  }

  *#unfenced(run: RunRecord): Generator<Waiting> {
    const { runId } = run.submitted;
    for (const [taskId, attempt] of this.#times.decided(runId)) {
      const isBelow = (run.tasks.get(taskId)?.fence ?? 0) < attempt;
      if (isBelow) yield ["decided attempt below its fence", `${runId}/${taskId}#${attempt}`];
    }
  }

  /** Looked for a page at a time, so that many that nobody has room for keep one waiting that has. */
  *#unclaimed(): Generator<Waiting> {
    const { store, scenario } = this.#world;
    const unclaimed = [...store.state.runs.values()].flatMap((run) => unclaimedOf(run));
    const extraMs = (unclaimed.length / scenario.pages) * betweenLooksMs;
    for (const { run, spender } of unclaimed) {
      if (this.#hasRoom(run, spender)) yield ["unclaimed attempt", jobId(spender), extraMs];
    }
  }

  #runTimeoutMs(compiled: string): number {
    const known = this.#timeoutsMs.get(compiled);
    if (known !== undefined) return known;
    const { runTimeoutMs } = JSON.parse(compiled) as CompiledWorkflow;
    this.#timeoutsMs.set(compiled, runTimeoutMs);
    return runTimeoutMs;
  }

  /** An agent that hangs in all its slots keeps others waiting, and may. */
  #hasRoom({ inputs }: RunRecord, { taskId }: Spender): boolean {
    const { store } = this.#world;
    const { agent } = envelopeOf(inputs.get(taskId));
    const busy = [...store.state.openClaims].filter(
      (claim) =>
        envelopeOf(store.state.runs.get(claim.runId)?.inputs.get(claim.taskId)).agent === agent &&
        // Each depth has slots of its own.
        spawnDepth(claim.taskId) === spawnDepth(taskId),
    );
    return busy.length < agentConcurrency(String(agent));
  }
}

/** Leaves are stopped before branches: each generation waits for the one below it, 20 s at most and a decision. */
const oneStopMs = 25_000;

function generationsOf({ tasks }: RunRecord): number {
  return Math.max(0, ...Array.from(tasks.keys(), (id) => id.split(".").length - 1));
}

/** For how long it said that it would wait for breakers, step after step: its clock stands meanwhile. */
function waitedMs({ log }: RunRecord, { taskId, attempt }: Spender): number {
  return log.reduce((sum, entry) => {
    const isWait =
      entry.type === "task.waiting" && entry.taskId === taskId && entry.attempt === attempt;
    return isWait ? sum + Math.max(0, entry.until - entry.at) : sum;
  }, 0);
}

/** Fenced, and claimed by nobody, in a run that goes on: while it is paused nothing of it is queued, also what was decided with the pause. */
function unclaimedOf(run: RunRecord): readonly { run: RunRecord; spender: Spender }[] {
  if (run.ended || run.status === "PAUSED") return [];
  const { runId } = run.submitted;
  return [...run.tasks].flatMap(([taskId, { fence, claims }]) => {
    const isClosed = levelsAbove(taskId).some((name) => run.ledger.envelopes.get(name)?.closed);
    if (fence === 0 || claims.has(fence) || isClosed) return [];
    // Keys of a run's tasks are task ids.
    return [{ run, spender: { runId, taskId, attempt: fence } as Spender }];
  });
}

/** What the product wrote for its workers, read by its names alone. */
function envelopeOf(text: string | undefined): {
  readonly agent?: unknown;
  readonly taskMs?: number;
} {
  return text === undefined ? {} : (JSON.parse(text) as object);
}
