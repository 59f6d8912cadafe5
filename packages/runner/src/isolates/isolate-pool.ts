/**
 * Warm isolates of one agent: child processes or threads.
 *
 * W1. An isolate has one task at a time, and tasks of one agent only.
 * W2. It is used again only when it rested clean, left no process behind, is younger than its age, has had fewer tasks than its share and
 *     holds no more than half of the memory it may have.
 * W3. After three failed starts in a row the agent is broken: no further isolate is started for a while, and one at a time
 *     then (B172).
 */
import type { Clock } from "@bridle/kernel";
import { bridleError } from "@bridle/protocol";

import type { IsolateSettings } from "./isolate-settings.ts";
import type { IsolateSource } from "./isolate-source.ts";
import type { Isolate } from "./isolate.ts";

/** A ready isolate, or why there is none. A failed start leaves nothing behind. */
export type StartAnswer =
  | { readonly ok: true; readonly isolate: Isolate }
  | { readonly ok: false; readonly reason: string };

export interface IsolatePoolOptions {
  readonly agent: { readonly name: string };
  readonly clock: Clock;
  readonly settings: IsolateSettings;
  /** Contract: never rejects. */
  readonly start: () => Promise<StartAnswer>;
}

interface Warm {
  readonly isolate: Isolate;
  readonly bornMs: number;
  cancelIdle: () => void;
}

interface Broken {
  readonly reason: string;
  readonly untilMs: number;
}

export class IsolatePool implements IsolateSource {
  readonly #options: IsolatePoolOptions;
  readonly #idle: Warm[] = [];
  readonly #busy = new Map<Isolate, Warm>();
  #broken: Broken | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(options: IsolatePoolOptions) {
    this.#options = options;
  }

  async acquire(): Promise<Isolate> {
    const warm = this.#takeIdle() ?? (await this.#start());
    warm.isolate.tasks += 1;
    this.#busy.set(warm.isolate, warm);
    return warm.isolate;
  }

  async release(isolate: Isolate, reusable: boolean): Promise<void> {
    isolate.listen(undefined);
    const warm = this.#busy.get(isolate);
    this.#busy.delete(isolate);
    if (warm === undefined || !reusable || !this.#isFit(warm)) {
      await isolate.reclaim();
      return;
    }
    const timer = this.#options.clock.setTimer(this.#options.settings.idleMs, () => {
      this.#idle.splice(this.#idle.indexOf(warm), 1);
      void isolate.reclaim();
    });
    warm.cancelIdle = () => timer.cancel();
    this.#idle.push(warm);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const idle = this.#idle.splice(0);
    for (const { cancelIdle } of idle) cancelIdle();
    await Promise.all(idle.map(async ({ isolate }) => isolate.reclaim()));
  }

  #takeIdle(): Warm | undefined {
    for (let warm = this.#idle.pop(); warm !== undefined; warm = this.#idle.pop()) {
      warm.cancelIdle();
      if (warm.isolate.end === undefined) return warm;
      // It ended while nobody used it: what it may have started meanwhile goes too.
      void warm.isolate.reclaim();
    }
    return undefined;
  }

  #isFit({ isolate, bornMs }: Warm): boolean {
    const { clock, settings } = this.#options;
    return (
      !this.#isClosed &&
      isolate.end === undefined &&
      isolate.tasks < settings.maxTasks &&
      clock.monotonicMs() - bornMs < settings.maxAgeMs &&
      !this.#isFull(isolate) &&
      !isolate.hasLeftovers()
    );
  }

  /** The next task must find room: a limit that its predecessors have nearly used up would end it for what they did. */
  #isFull(isolate: Isolate): boolean {
    return (isolate.residentBytes() ?? 0) > this.#options.settings.memoryBytes / 2;
  }

  async #start(): Promise<Warm> {
    const { clock, settings, agent } = this.#options;
    if (this.#broken !== undefined && clock.monotonicMs() < this.#broken.untilMs) {
      throw agentBroken(agent.name, this.#broken.reason);
    }
    let reason = "";
    do {
      // oxlint-disable-next-line no-await-in-loop -- the next start depends on this one's end
      const answer = await this.#options.start();
      if (answer.ok) return this.#started(answer.isolate);
      ({ reason } = answer);
      this.#failures += 1;
    } while (this.#failures < settings.startFailures);
    this.#broken = { reason, untilMs: clock.monotonicMs() + settings.brokenMs };
    throw agentBroken(agent.name, reason);
  }

  #started(isolate: Isolate): Warm {
    this.#failures = 0;
    this.#broken = undefined;
    const bornMs = this.#options.clock.monotonicMs();
    return { isolate, bornMs, cancelIdle: () => {} };
  }
}

function agentBroken(agent: string, reason: string): Error {
  return bridleError("agent_broken", {
    message: `The agent "${agent}" cannot be started: ${reason}`,
    details: { agent, reason },
  });
}
