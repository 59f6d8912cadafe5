/**
 * Looks at a world without faults every few seconds, for what does not move. Runs end by their own timeouts whatever goes
 * wrong, so that they end says little; that nothing waits longer than its clock allows says that the clocks work.
 */
import type { RunRecord } from "@bridle/ports/testing";
import type { Spender } from "@bridle/protocol";
import { jobId } from "@bridle/protocol";

import { agentConcurrency } from "../scenario/plays.ts";
import { wallStartMs } from "./actor-clock.ts";
import type { World } from "./world.ts";

const lookEveryMs = 5000;

/** How long each may be seen without a change, with a look's and a drifting clock's share on top. */
const boundsMs = {
  /** Polled every 2 s. */
  "inbox entry": 15_000,
  /** A lease of 8 s, a poll of 2 s. */
  "attempt of a dead worker": 20_000,
  /** A stop order within 2 s, 5 s of grace. */
  "attempt of an ended run": 20_000,
  /** A task clock of a minute, its waits, the grace, the cancel's grace. */
  attempt: 170_000,
  /** Enqueued again after 10 s; by wall clocks, of which one may be half a minute behind. */
  "unclaimed attempt": 65_000,
  /** A step that waits holds nothing (BU-8). */
  "hold that was not dispatched": 12_000,
  /** Expires after a minute without renewal, looked for every 10 s; by wall clocks, as above. */
  "hold of nobody": 115_000,
  /** A wall clock may be half a minute behind. */
  "due timer": 45_000,
} as const;

type What = keyof typeof boundsMs;

export class Overseer {
  readonly #world: World;
  readonly #since = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
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
    for (const name of this.#since.keys()) if (!names.has(name)) this.#since.delete(name);
    return seen.flatMap(([what, which]) => {
      const name = `${what} ${which}`;
      const sinceMs = this.#since.get(name) ?? nowMs;
      this.#since.set(name, sinceMs);
      return nowMs - sinceMs > boundsMs[what] ? [`${name} for ${nowMs - sinceMs} ms`] : [];
    });
  }

  *#waiting(): Generator<readonly [What, string]> {
    const { state } = this.#world.store;
    for (const { id, message } of state.inbox.values()) {
      yield ["inbox entry", `${id} (${message.kind})`];
    }
    yield* this.#claims();
    for (const run of state.runs.values()) yield* this.#waitingOf(run);
  }

  *#claims(): Generator<readonly [What, string]> {
    const { store } = this.#world;
    for (const claim of store.state.openClaims) {
      const run = store.state.runs.get(claim.runId);
      const isAtFence = run?.tasks.get(claim.taskId)?.fence === claim.attempt;
      if (!this.#isAlive(claim.bootId)) {
        if (run?.ended === false && isAtFence) yield ["attempt of a dead worker", jobId(claim)];
      } else if (run?.ended === true) yield ["attempt of an ended run", jobId(claim)];
      else yield ["attempt", jobId(claim)];
    }
  }

  #isAlive(bootId: string | undefined): boolean {
    return this.#world.slots.some(({ actor }) => actor !== undefined && actor.bootId === bootId);
  }

  *#waitingOf(run: RunRecord): Generator<readonly [What, string]> {
    const { runId } = run.submitted;
    const wallMs = wallStartMs + this.#world.time.nowMs;
    for (const { holdId, status, taskId, attempt } of run.ledger.open.values()) {
      const isHeldByOne = this.#isAlive(run.tasks.get(taskId)?.claims.get(attempt)?.bootId);
      if (!isHeldByOne) yield ["hold of nobody", holdId];
      else if (status === "held") yield ["hold that was not dispatched", holdId];
    }
    for (const [key, at] of run.timers) {
      if (at <= wallMs) yield ["due timer", `${key} of ${runId}`];
    }
    if (!run.ended) yield* this.#unclaimed(run);
  }

  *#unclaimed(run: RunRecord): Generator<readonly [What, string]> {
    const { runId } = run.submitted;
    for (const [id, { fence, claims }] of run.tasks) {
      const isClosed = ["run", id].some((name) => run.ledger.envelopes.get(name)?.closed);
      if (fence === 0 || claims.has(fence) || isClosed) continue;
      // Keys of a run's tasks are task ids.
      const spender = { runId, taskId: id, attempt: fence } as Spender;
      if (this.#hasRoom(run, spender)) yield ["unclaimed attempt", jobId(spender)];
    }
  }

  /** An agent that hangs in all its slots keeps others waiting, and may. */
  #hasRoom({ inputs }: RunRecord, { taskId }: Spender): boolean {
    const { store } = this.#world;
    const agentOf = (text: string | undefined): unknown =>
      text === undefined ? undefined : (JSON.parse(text) as { readonly agent?: unknown }).agent;
    const agent = agentOf(inputs.get(taskId));
    const busy = [...store.state.openClaims].filter(
      (claim) => agentOf(store.state.runs.get(claim.runId)?.inputs.get(claim.taskId)) === agent,
    );
    return busy.length < agentConcurrency(String(agent));
  }
}
