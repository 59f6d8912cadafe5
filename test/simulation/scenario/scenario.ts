import type { LimitsSpec, WorkflowSpecInput } from "@bridle/protocol";

/** A process of the world: `door` takes submits and orders of people; the others are what their name says. */
export type ActorName = "door" | `scheduler-${number}` | `worker-${number}`;

/** For a while, from `at`. Milliseconds of simulated time. */
interface Window {
  readonly at: number;
  readonly forMs: number;
}

export type ProviderFault =
  | "rate_limit"
  | "overloaded"
  | "server_error"
  | "hang"
  | "cut"
  | "reset"
  | "slow"
  | "malformed"
  | "auth";

export type Fault =
  /** Dies at its `call`-th port call after `at`: before its effect, or after it with the answer lost. Starts again later. */
  | {
      readonly kind: "crash";
      readonly actor: ActorName;
      readonly at: number;
      readonly call: number;
      readonly when: "before" | "after";
      readonly downMs: number;
    }
  /** Stopped as an operator does it, and started again. */
  | {
      readonly kind: "restart";
      readonly actor: ActorName;
      readonly at: number;
      readonly downMs: number;
    }
  /** Stands still: at once, or just before its `call`-th port call after `at`, which is sent when it goes on. */
  | ({
      readonly kind: "suspend";
      readonly actor: ActorName;
      readonly call?: number | undefined;
    } & Window)
  /** Every call of the actor takes up to this long each way; answers come back stale and out of order. */
  | ({ readonly kind: "slow"; readonly actor: ActorName; readonly upToMs: number } & Window)
  /**
   * The store cannot be reached: calls fail before their effect, or after it with the answer lost. `late`: they are given
   * up by who made them and have their effect up to `lateMs` afterwards.
   */
  | ({
      readonly kind: "away";
      readonly actor: ActorName | "all";
      readonly lost: "request" | "answer" | "late";
      readonly lateMs?: number | undefined;
      /** Of the calls; all of them when it is not said. */
      readonly share?: number | undefined;
    } & Window)
  /** Shares of jobs lost and delivered twice; those that arrive come up to `delayMs` late, out of order. */
  | ({
      readonly kind: "queue";
      readonly drop: number;
      readonly duplicate: number;
      readonly delayMs: number;
    } & Window)
  | ({
      readonly kind: "feed";
      readonly drop: number;
      readonly duplicate: number;
      readonly delayMs: number;
    } & Window)
  /** The process's monotonic clock runs at this rate from its first start. */
  | { readonly kind: "drift"; readonly actor: ActorName; readonly rate: number }
  /** The wall clock jumps: of one process, or of all together, as when machines wake up. */
  | {
      readonly kind: "wall";
      readonly actor: ActorName | "all";
      readonly at: number;
      readonly byMs: number;
    }
  | ({
      readonly kind: "provider";
      /** One target, all of one provider, or `all`. */
      readonly target: string;
      readonly fault: ProviderFault;
      readonly share: number;
    } & Window)
  /** Everything dies; the store comes back without what it acknowledged in the last `lostMs`. */
  | {
      readonly kind: "power";
      readonly at: number;
      readonly lostMs: number;
      readonly downMs: number;
    };

export interface PlannedRun {
  readonly at: number;
  readonly spec: WorkflowSpecInput;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a person asks of a run, by its place in `runs`. */
export type Order =
  | {
      readonly kind: "cancel";
      readonly at: number;
      readonly run: number;
      readonly task?: string | undefined;
    }
  | { readonly kind: "pause" | "resume"; readonly at: number; readonly run: number };

/** A whole world before its first event. Plain JSON: a case file holds one. */
export interface Scenario {
  readonly seed: number;
  readonly schedulers: number;
  readonly workers: number;
  readonly feed: "on" | "off";
  /** One way of a call to the store or the queue, at most; 0: everything of one instant happens without a break. */
  readonly networkMs: number;
  /** Milliseconds of a model call, at most. */
  readonly latencyMs: number;
  /** Entries a scheduler reads at once, and decisions between its snapshots. */
  readonly pages: number;
  /** `touchy`: they open after the first failure and close again within seconds. `patient`: with the defaults. */
  readonly breakers: "patient" | "touchy";
  /** What a day may cost: all runs of the installation, and those of the one key that submits. Absent: no limit. */
  readonly perDay?: { readonly installation?: LimitsSpec; readonly key?: LimitsSpec } | undefined;
  readonly runs: readonly PlannedRun[];
  readonly orders: readonly Order[];
  readonly faults: readonly Fault[];
  /** When the last fault is over. */
  readonly calmAt: number;
}

/** A store that lost its tail has forgotten what was promised: some invariants cannot hold over it (ADR 0071). */
export function losesTail({ faults }: Pick<Scenario, "faults">): boolean {
  return faults.some(({ kind }) => kind === "power");
}
