/**
 * One start of one process: what stands between the product's code and the world.
 *
 * 1. It reaches the store and the queue through `call` alone, and knows time by its clock alone, so cutting both is its
 *    death: what still runs of it changes nothing any more.
 * 2. A call of a dead process never answers. Its request may still arrive: what was sent before a crash is not unsent. Unless the
 *    power went: a store that was down itself has nothing from before.
 * 3. A suspended process hears answers and messages when it goes on.
 */
import { bridleError } from "@bridle/protocol";

import type { ActorName, Fault } from "../scenario/scenario.ts";
import { ActorClock } from "./actor-clock.ts";
import type { SimulationTime } from "./simulation-time.ts";
import type { Weather } from "./weather.ts";

export type Crash = Extract<Fault, { readonly kind: "crash" }>;

export interface ActorOptions {
  readonly name: ActorName;
  readonly boot: number;
  readonly rate: number;
  readonly time: SimulationTime;
  readonly weather: Weather;
  /** The process died of this crash; the world starts it again. */
  readonly onCrash: (crash: Crash) => void;
  /** It makes calls without end in one instant. Once. */
  readonly onRunaway: () => void;
}

/** Ten times what the largest world needs. A process that asks on at each answer would keep time from moving for ever. */
const mostCallsAtOnce = 20_000;

interface ArmedCrash {
  readonly crash: Crash;
  callsLeft: number;
}

export class Actor {
  readonly name: ActorName;
  readonly bootId: string;
  readonly clock: ActorClock;
  /** Clock of the agents' own code: its timers are not the product's. */
  readonly agentClock: ActorClock;
  readonly died: Promise<void>;
  readonly #options: ActorOptions;
  readonly #never = new Promise<never>(() => {});
  readonly #heard: (() => void)[] = [];
  #die: () => void = () => {};
  #isDead = false;
  #isSuspended = false;
  #wokeAtMs = Number.NEGATIVE_INFINITY;
  #armed: ArmedCrash | undefined;
  #callsToSuspend: number | undefined;
  #instantMs = 0;
  #callsAtOnce = 0;

  constructor(options: ActorOptions) {
    const { name, boot, time, rate } = options;
    this.#options = options;
    this.name = name;
    this.bootId = `${name}.${boot}`;
    this.clock = new ActorClock(time, rate);
    this.agentClock = new ActorClock(time, rate);
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** It went on at this very instant: what is due fires at once, and no promise has settled yet. */
  get isWaking(): boolean {
    return this.#wokeAtMs === this.#options.time.nowMs;
  }

  arm(crash: Crash): void {
    this.#armed = { crash, callsLeft: crash.call };
  }

  disarm(): void {
    this.#armed = undefined;
  }

  kill(): void {
    this.#isDead = true;
    this.clock.kill();
    this.agentClock.kill();
    this.#heard.length = 0;
    this.#die();
  }

  suspend(): void {
    this.#isSuspended = true;
    this.clock.suspend();
    this.agentClock.suspend();
  }

  /** Stands still just before a later call; not at all when it goes on before that. */
  suspendAtCall(call: number): void {
    this.#callsToSuspend = call;
  }

  resume(): void {
    this.#callsToSuspend = undefined;
    if (!this.#isSuspended) return;
    this.#isSuspended = false;
    this.#wokeAtMs = this.#options.time.nowMs;
    this.clock.resume();
    this.agentClock.resume();
    for (const hear of this.#heard.splice(0)) hear();
  }

  /** Something arrives from outside: now, when the process goes on, or never. */
  hear(message: () => void): void {
    if (this.#isDead) return;
    if (this.#isSuspended) this.#heard.push(message);
    else message();
  }

  /** One call of a port. Contract: `effect` does its work in one synchronous turn. */
  call<Answer>(effect: () => Promise<Answer>): Promise<Answer> {
    if (this.#isDead || this.#runsAway()) return this.#never;
    if (this.#isCallToSuspend()) return this.#callLater(effect);
    const crash = this.#crashOfThisCall();
    if (crash?.when === "before") return this.#crash(crash);
    return this.#travel(effect, crash);
  }

  /**
   * There, the effect, and back. One function with as few promises as can be: a world has four hundred calls, most of them with
   * no way to go.
   */
  async #travel<Answer>(effect: () => Promise<Answer>, crash: Crash | undefined): Promise<Answer> {
    const { time, weather, name } = this.#options;
    const thereMs = weather.slowMs(name);
    if (thereMs > 0 && (await this.#isCutIn(thereMs))) return this.#never;
    const lost = weather.away(name);
    if (lost === "request") return this.#unanswered();
    if (lost === "late") return this.#late(effect);
    const answering = effect();
    if (crash !== undefined) return this.#crash(crash);
    const answer = await answering;
    const backMs = weather.slowMs(name);
    if (backMs > 0) await time.sleep(backMs);
    if (lost === "answer") return this.#unanswered();
    return this.#isDead || this.#isSuspended ? this.#heardLater(answer) : answer;
  }

  async #isCutIn(ms: number): Promise<boolean> {
    const { time, weather } = this.#options;
    const sentMs = time.nowMs;
    await time.sleep(ms);
    return weather.isCutSince(sentMs);
  }

  async #heardLater<Answer>(answer: Answer): Promise<Answer> {
    if (this.#isDead) return this.#never;
    return new Promise((resolve) => {
      this.hear(() => resolve(answer));
    });
  }

  /** A driver gives up after a while; here that while is short, so that much happens in little time. */
  async #unanswered(): Promise<never> {
    await this.#options.time.sleep(200);
    if (this.#isDead || this.#isSuspended) await this.#heardLater(undefined);
    throw bridleError("store_unavailable");
  }

  /** Given up here, while the store works on it. */
  async #late<Answer>(effect: () => Promise<Answer>): Promise<never> {
    const { time, weather, name } = this.#options;
    const sentMs = time.nowMs;
    time.at(sentMs + weather.lateMs(name), () => {
      // Whatever the store answers, nobody hears it.
      if (!weather.isCutSince(sentMs)) effect().catch(() => undefined);
    });
    return this.#unanswered();
  }

  /** Stands still on the way out; the call goes when the process does. */
  async #callLater<Answer>(effect: () => Promise<Answer>): Promise<Answer> {
    this.suspend();
    await this.#heardLater(undefined);
    return this.call(effect);
  }

  #runsAway(): boolean {
    const { time, onRunaway } = this.#options;
    if (time.nowMs !== this.#instantMs) {
      this.#instantMs = time.nowMs;
      this.#callsAtOnce = 0;
    }
    if (++this.#callsAtOnce === mostCallsAtOnce) onRunaway();
    return this.#callsAtOnce >= mostCallsAtOnce;
  }

  #isCallToSuspend(): boolean {
    if (this.#callsToSuspend === undefined || this.#callsToSuspend-- > 0) return false;
    this.#callsToSuspend = undefined;
    return true;
  }

  #crashOfThisCall(): Crash | undefined {
    if (this.#armed === undefined || this.#armed.callsLeft-- > 0) return undefined;
    const { crash } = this.#armed;
    this.#armed = undefined;
    return crash;
  }

  async #crash(crash: Crash): Promise<never> {
    this.#options.onCrash(crash);
    return this.#never;
  }
}
