/** What the world does to calls, messages and wire calls right now, as the scenario's windows say. Owns no state but chance. */
import type { Random } from "@bridle/kernel";

import type { ActorName, Fault, Scenario } from "../scenario/scenario.ts";
import type { SimulationTime } from "./simulation-time.ts";

type WindowKind = "slow" | "away" | "queue" | "feed" | "provider";
type FaultOf<Kind extends WindowKind> = Extract<Fault, { readonly kind: Kind }>;

export interface Delivery {
  readonly copies: number;
  readonly delayMs: () => number;
}

const wellDelivered: Delivery = { copies: 1, delayMs: () => 0 };

/** What of a scenario makes its weather. */
export type Climate = Pick<Scenario, "faults" | "networkMs" | "calmAt">;

export class Weather {
  readonly #time: SimulationTime;
  readonly #random: Random;
  readonly #faults: readonly Fault[];
  readonly #networkMs: number;
  readonly #calmAt: number;
  readonly #powerLosses: readonly number[];

  constructor(time: SimulationTime, random: Random, scenario: Climate) {
    const { faults, networkMs, calmAt } = scenario;
    this.#time = time;
    this.#random = random;
    this.#faults = faults;
    this.#networkMs = networkMs;
    this.#calmAt = calmAt;
    this.#powerLosses = faults.flatMap((fault) => (fault.kind === "power" ? [fault.at] : []));
  }

  /** The store went down with everything since then, and what was on its way to it is nowhere. */
  isCutSince(sentMs: number): boolean {
    return this.#powerLosses.some((at) => sentMs <= at && at <= this.#time.nowMs);
  }

  /** How long one way of a call takes now. */
  slowMs(actor: ActorName): number {
    const slow = this.#active("slow", (fault) => fault.actor === actor);
    const upToMs = slow?.upToMs ?? this.#networkMs;
    return upToMs === 0 ? 0 : this.#random.next() * upToMs;
  }

  away(actor: ActorName): FaultOf<"away">["lost"] | undefined {
    const fault = this.#away(actor);
    if (fault?.share !== undefined && this.#random.next() >= fault.share) return undefined;
    return fault?.lost;
  }

  /** After how long a call has its effect that was given up; when it is calm all have had theirs. */
  lateMs(actor: ActorName): number {
    const lateMs = this.#random.next() * (this.#away(actor)?.lateMs ?? 0);
    return Math.min(lateMs, Math.max(0, this.#calmAt - this.#time.nowMs));
  }

  delivery(kind: "queue" | "feed"): Delivery {
    const fault = this.#active(kind, () => true);
    if (fault === undefined) return wellDelivered;
    const lost = this.#random.next() < fault.drop;
    const copies = lost ? 0 : this.#random.next() < fault.duplicate ? 2 : 1;
    return { copies, delayMs: () => this.#random.next() * fault.delayMs };
  }

  provider(target: string): FaultOf<"provider">["fault"] | undefined {
    const names = new Set(["all", target, target.split("/")[0]]);
    const fault = this.#active("provider", (one) => names.has(one.target));
    return fault !== undefined && this.#random.next() < fault.share ? fault.fault : undefined;
  }

  #away(actor: ActorName): FaultOf<"away"> | undefined {
    return this.#active("away", (fault) => fault.actor === "all" || fault.actor === actor);
  }

  #active<Kind extends WindowKind>(
    kind: Kind,
    isMeant: (fault: FaultOf<Kind>) => boolean,
  ): FaultOf<Kind> | undefined {
    const now = this.#time.nowMs;
    for (const fault of this.#faults) {
      if (!isWindow(fault) || fault.kind !== kind) continue;
      if (now < fault.at || now >= fault.at + fault.forMs) continue;
      // Narrowed by its kind above, which the compiler cannot see through the type parameter.
      const found = fault as FaultOf<Kind>;
      if (isMeant(found)) return found;
    }
    return undefined;
  }
}

function isWindow(fault: Fault): fault is FaultOf<WindowKind> {
  return "forMs" in fault && fault.kind !== "suspend";
}
