import { SimulatedClock } from "@bridle/kernel/testing";
import type { FleetEvent } from "@bridle/protocol";

import { BreakerSet } from "../src/index.ts";
import type {
  BreakerSetOptions,
  BreakerView,
  Permit,
  PermitFacts,
  PermitOutcome,
} from "../src/index.ts";

/** No jitter: the middle of the spread. */
export const noJitter = { next: () => 0.5 };

export const tool = "tool:search";
export const done = { completedProgress: true } as const;

export interface Bench {
  readonly clock: SimulatedClock;
  readonly set: BreakerSet;
  readonly events: FleetEvent[];
  /** Makes one whole call; fails the test when it is refused. */
  readonly call: (
    outcome: PermitOutcome | "failure",
    facts?: PermitFacts & { readonly key?: string },
  ) => void;
  readonly admitted: (keys?: readonly string[]) => Permit;
  readonly view: (key?: string) => BreakerView;
  readonly types: () => readonly string[];
}

/** A verdict against every tier that takes part. */
export const failure = {
  tool: "failure",
  agent: "failure",
  provider: "failure",
  failureKind: "server_error",
} as const;

export function bench(options: Partial<BreakerSetOptions> = {}): Bench {
  const clock = new SimulatedClock({ startMs: 1_000_000 });
  const events: FleetEvent[] = [];
  const set = new BreakerSet({
    clock,
    random: noJitter,
    emit: (event) => events.push(event),
    ...options,
  });
  const admitted = (keys: readonly string[] = [tool]): Permit => {
    const admission = set.acquire(keys);
    if (!admission.allowed) throw new Error(`refused: ${JSON.stringify(admission)}`);
    return admission.permit;
  };
  return {
    clock,
    set,
    events,
    admitted,
    call: (outcome, { key = tool, ...facts } = {}) =>
      admitted([key]).end(outcome === "failure" ? failure : outcome, { ...done, ...facts }),
    view: (key = tool) => {
      const view = set.view().find((each) => each.key === key);
      if (view === undefined) throw new Error(`no breaker ${key}`);
      return view;
    },
    types: () => events.map((event) => event.type),
  };
}

/** Five failures in a row: the shortest way to OPEN. */
export function opened(options: Partial<BreakerSetOptions> = {}): Bench {
  const made = bench(options);
  for (let index = 0; index < 5; index += 1) made.call("failure");
  return made;
}

export function repeat(times: number, act: (index: number) => void): void {
  for (let index = 0; index < times; index += 1) act(index);
}
