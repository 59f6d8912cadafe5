import { fleetPages } from "@bridle/ports";
import type { FleetLog, Timers } from "@bridle/ports";
import type { BreakerView, FleetEvent } from "@bridle/protocol";

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
  if (event.type === "breaker.reset") return shownAs("CLOSED", undefined, event);
  if (event.type === "breaker.forced") {
    const { state, actor, reason, until } = event;
    const forced = { state, actor, reason, until };
    return { ...shownAs(before?.state ?? "CLOSED", before, event), forced };
  }
  const view = viewAfterTransition(before, event);
  return view && (before?.forced === undefined ? view : { ...view, forced: before.forced });
}

function viewAfterTransition(
  before: BreakerView | undefined,
  event: FleetEvent,
): BreakerView | undefined {
  if (event.type === "breaker.open") {
    const { key, tier, triggers, evidence, cooldownMs, at } = event;
    const why = { triggers: [...triggers], evidence, cooldownMs };
    return { key, tier, state: "OPEN", since: at, ...why, parked: 0 };
  }
  if (event.type !== "breaker.half_open" && event.type !== "breaker.close") return undefined;
  return shownAs(event.type === "breaker.close" ? "CLOSED" : "HALF_OPEN", before, event);
}

function shownAs(
  state: BreakerView["state"],
  before: BreakerView | undefined,
  { key, tier, at }: Pick<BreakerView, "key" | "tier"> & { readonly at: number },
): BreakerView {
  const triggers = before?.triggers ?? [];
  const evidence = before?.evidence ?? {};
  return { key, tier, state, since: at, triggers, evidence, parked: 0 };
}

/** An order that has run out holds nothing any more. */
function heldAt({ forced, ...view }: BreakerView, nowMs: number): BreakerView {
  return forced === undefined || forced.until <= nowMs ? { ...view } : { ...view, forced };
}

/** Keeps the breakers' states by reading the fleet log from where it last stopped; what is parked behind each is asked anew. */
export class BreakerViews {
  readonly #fleet: Pick<FleetLog, "read">;
  readonly #timers: Pick<Timers, "tally">;
  #known: ReadonlyMap<string, BreakerView> = new Map();
  #afterId = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor(store: {
    readonly fleet: Pick<FleetLog, "read">;
    readonly timers: Pick<Timers, "tally">;
  }) {
    this.#fleet = store.fleet;
    this.#timers = store.timers;
  }

  /** Newest transition first. `nowMs`: wall time. */
  async list(nowMs: number): Promise<BreakerView[]> {
    // One reader at a time, or an event would be folded twice.
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#catchUp());
    await this.#reading;
    const parked = await this.#timers.tally("parked");
    const counts = new Map(parked.map(({ about, count }) => [about, count]));
    return [...this.#known.values()]
      .map((view) => Object.assign(heldAt(view, nowMs), { parked: counts.get(view.key) ?? 0 }))
      .toSorted((left, right) => right.since - left.since);
  }

  async #catchUp(): Promise<void> {
    for await (const page of fleetPages(this.#fleet, this.#afterId)) {
      for (const { id, event } of page) {
        this.#known = foldBreakers(this.#known, event);
        this.#afterId = id;
      }
    }
  }
}
