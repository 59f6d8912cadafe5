import type { FleetLog } from "@bridle/ports";
import type { BreakerView, FleetEvent } from "@bridle/protocol";

const pageSize = 1000;

/** One event of the fleet log over what is known; other events change nothing. */
function foldBreakers(
  known: ReadonlyMap<string, BreakerView>,
  event: FleetEvent,
): ReadonlyMap<string, BreakerView> {
  const next = viewAfter(known.get("key" in event ? event.key : ""), event);
  if (next === undefined) return known;
  return new Map(known).set(next.key, next);
}

function viewAfter(before: BreakerView | undefined, event: FleetEvent): BreakerView | undefined {
  if (event.type === "breaker.open") {
    const { key, tier, triggers, evidence, cooldownMs, at } = event;
    const why = { triggers: [...triggers], evidence, cooldownMs };
    return { key, tier, state: "OPEN", since: at, ...why, parked: 0 };
  }
  if (event.type !== "breaker.half_open" && event.type !== "breaker.close") return undefined;
  return {
    key: event.key,
    tier: event.tier,
    state: event.type === "breaker.close" ? "CLOSED" : "HALF_OPEN",
    since: event.at,
    triggers: before?.triggers ?? [],
    evidence: before?.evidence ?? {},
    parked: 0,
  };
}

/** Keeps the breakers' states by reading the fleet log from where it last stopped. */
export class BreakerViews {
  readonly #fleet: Pick<FleetLog, "read">;
  #known: ReadonlyMap<string, BreakerView> = new Map();
  #afterId = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor(fleet: Pick<FleetLog, "read">) {
    this.#fleet = fleet;
  }

  /** Newest transition first. */
  async list(): Promise<BreakerView[]> {
    // One reader at a time, or an event would be folded twice.
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#catchUp());
    await this.#reading;
    return [...this.#known.values()].toSorted((left, right) => right.since - left.since);
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- each page starts where the last one ended
      const entries = await this.#fleet.read({ afterId: this.#afterId, limit: pageSize });
      for (const { id, event } of entries) {
        this.#known = foldBreakers(this.#known, event);
        this.#afterId = id;
      }
      if (entries.length < pageSize) return;
    }
  }
}
