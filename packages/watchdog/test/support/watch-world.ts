import { SimulatedClock } from "@bridle/kernel/testing";
import { Watchdog } from "@bridle/watchdog";
import type { OpenWatch, WatchdogEvent, WatchdogOptions, WatchTask } from "@bridle/watchdog";

export type VerdictEvent = Extract<WatchdogEvent, { readonly type: "verdict" }>;

/** A watchdog on virtual time, with no grace unless a test asks for it, and everything it said. */
export function watchWorld(options: Partial<WatchdogOptions> = {}) {
  const clock = new SimulatedClock({ startMs: 123_456.7 });
  const events: WatchdogEvent[] = [];
  const watchdog = new Watchdog({ clock, emit: (event) => events.push(event), ...options });
  return {
    clock,
    watchdog,
    events,
    watch: (task: Partial<WatchTask> = {}): OpenWatch =>
      watchdog.watch({ id: "task", taskMs: 600_000, graceLeftMs: 0, ...task }),
    verdicts: (): readonly VerdictEvent[] => events.filter((event) => event.type === "verdict"),
    kinds: (): readonly string[] =>
      events.map((event) =>
        event.type === "verdict"
          ? event.would === undefined
            ? event.kind
            : `would_${event.kind}`
          : event.type,
      ),
    /** The loop is held for so long: timers that fell due meanwhile fire once, late. */
    block: (ms: number): void => blockLoop(clock, ms),
  };
}

export type WatchWorld = ReturnType<typeof watchWorld>;

/** Passes time that no timer sees until it is over, as a busy loop or a suspended machine does. */
function blockLoop(clock: SimulatedClock, ms: number): void {
  const monotonicMs = clock.monotonicMs.bind(clock);
  clock.monotonicMs = () => monotonicMs() + ms;
}

/** A beat each `everyMs` for `forMs`, of the steps given in turn. */
export function beats(
  world: WatchWorld,
  watch: OpenWatch,
  plan: { readonly everyMs: number; readonly forMs: number; readonly steps: readonly number[] },
): void {
  for (let sent = 0; sent * plan.everyMs < plan.forMs; sent++) {
    watch.beat({ status: "RUNNING", step: plan.steps[sent % plan.steps.length] ?? 0 });
    world.clock.advance(plan.everyMs);
  }
}
