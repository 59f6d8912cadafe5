/**
 * The place of one process in the world: starts it, and starts it again after it died.
 *
 * 1. At most one start of it lives at a time; what an older one still tries changes nothing here.
 * 2. From `calm` on it runs and nothing makes it die any more.
 */
import type { ActorName } from "../scenario/scenario.ts";
import { Actor } from "./actor.ts";
import type { ActorOptions, Crash } from "./actor.ts";
import type { Running } from "./process.ts";

export interface SlotOptions extends Pick<ActorOptions, "time" | "weather" | "rate" | "onRunaway"> {
  readonly name: ActorName;
  /** The instant from which it is calm. */
  readonly calmAt: number;
  readonly start: (actor: Actor) => Promise<Running>;
}

/** A supervisor starts a process that could not start again after this. */
const restartMs = 1000;

export class Slot {
  readonly name: ActorName;
  readonly #options: SlotOptions;
  #boots = 0;
  #actor: Actor | undefined;
  #running: Running | undefined;
  /** How far its machine's wall clock is from the right one. */
  #wallMs = 0;

  constructor(options: SlotOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get actor(): Actor | undefined {
    return this.#actor;
  }

  get wallMs(): number {
    return this.#wallMs;
  }

  get running(): Running | undefined {
    return this.#running;
  }

  boot(): void {
    if (this.#actor !== undefined) return;
    const { time, weather, rate, name, onRunaway } = this.#options;
    const actor = new Actor({
      name,
      boot: ++this.#boots,
      rate,
      time,
      weather,
      onCrash: (crash) => this.#crashed(actor, crash),
      onRunaway,
    });
    this.#actor = actor;
    this.#setWall(this.#wallMs);
    void this.#start(actor);
  }

  /** It stays so when the process starts again. */
  jumpWall(byMs: number): void {
    this.#wallMs += byMs;
    this.#setWall(byMs);
  }

  #setWall(byMs: number): void {
    this.#actor?.clock.jumpWall(byMs);
    this.#actor?.agentClock.jumpWall(byMs);
  }

  /** Dies where it stands, and is started again after `downMs`. */
  die(downMs: number): void {
    const { time, calmAt } = this.#options;
    this.#actor?.kill();
    this.#actor = undefined;
    this.#running = undefined;
    const upAt = Math.min(time.nowMs + downMs, Math.max(calmAt, time.nowMs));
    time.at(upAt, () => this.boot());
  }

  /** Stopped in good order, then started again. */
  async restart(downMs: number): Promise<void> {
    const actor = this.#actor;
    await this.#running?.stop();
    if (actor !== undefined && this.#actor === actor) this.die(downMs);
  }

  /** For good. What it leaves in its clock is what `stop` forgot. */
  async stop(): Promise<void> {
    await this.#running?.stop();
  }

  async #start(actor: Actor): Promise<void> {
    try {
      const running = await this.#options.start(actor);
      if (this.#actor === actor) this.#running = running;
    } catch {
      // A process that does not find its store exits, and its supervisor tries again.
      if (this.#actor === actor) this.die(restartMs);
    }
  }

  #crashed(actor: Actor, { downMs }: Crash): void {
    if (this.#actor === actor) this.die(downMs);
    else actor.kill();
  }
}
