/**
 * What the envelopes of one run can set aside for tasks that are spawned (LF-8), as of one look at the ledger and the decisions of the
 * same batch. The store has the last word: between look and commit somebody may have spent, and then it carves what is there.
 *
 * The rule is that of `packages/budget/src/carved.ts`: a level is asked for what is not set aside there already.
 */
import { admissionLine, defaultLinePercent } from "@bridle/budget";
import type { RunCommand } from "@bridle/dag";
import { amountsBy, dimensions, noAmounts, unlimited } from "@bridle/protocol";
import type { Amounts, EnvelopeState } from "@bridle/protocol";

type Dimension = keyof Amounts;

export class EnvelopeBook {
  readonly #envelopes: Map<string, EnvelopeState>;
  #takenOfRun: Amounts = noAmounts;

  constructor(envelopes: readonly EnvelopeState[]) {
    this.#envelopes = new Map(envelopes.map((one) => [one.envelope, one]));
  }

  /** What this task can give to another; undefined when it can spend nothing, or is not known. */
  roomBelow(taskId: string): Amounts | undefined {
    const path = this.#pathOf(taskId);
    if (path.length === 0 || path.some(isShut)) return undefined;
    return amountsBy((dimension) =>
      Math.min(unlimited, ...levelsAsked(path, dimension).map((level) => roomIn(level, dimension))),
    );
  }

  /** What this batch has decided to set aside in the run's own envelope, for tasks that were spawned and for stand-ins. */
  get takenOfRun(): Amounts {
    return this.#takenOfRun;
  }

  /** Takes notice of what this batch has decided to set aside. */
  open(command: RunCommand): void {
    if (command.type === "reserve-opening") {
      for (const dimension of dimensions) {
        this.#reserve("run", dimension, command.amounts[dimension]);
      }
    }
    if (command.type !== "open-envelope" || command.carvedFrom === undefined) return;
    const { taskId, terms, carvedFrom } = command;
    const path = this.#pathOf(carvedFrom);
    for (const dimension of dimensions) {
      const amount = terms.limit[dimension];
      if (amount === unlimited) continue;
      for (const { envelope } of levelsAsked(path, dimension)) {
        this.#reserve(envelope, dimension, amount);
      }
    }
    this.#envelopes.set(taskId, opened(taskId, command));
  }

  #reserve(envelope: string, dimension: Dimension, amount: number): void {
    if (envelope === "run") {
      const taken = this.#takenOfRun;
      this.#takenOfRun = { ...taken, [dimension]: taken[dimension] + amount };
    }
    const level = this.#envelopes.get(envelope);
    if (level === undefined) return;
    const reserved = { ...level.reserved, [dimension]: level.reserved[dimension] + amount };
    this.#envelopes.set(envelope, { ...level, reserved });
  }

  /** From the task up to the run; empty when it has no envelope. */
  #pathOf(taskId: string): readonly EnvelopeState[] {
    const path: EnvelopeState[] = [];
    for (let name: string | undefined = taskId; name !== undefined;) {
      const level = this.#envelopes.get(name);
      if (level === undefined) return [];
      path.push(level);
      name = name === "run" ? undefined : (level.carvedFrom ?? "run");
    }
    return path;
  }
}

function isShut({ closed, tripped, frozenBy }: EnvelopeState): boolean {
  return closed || tripped || frozenBy.length > 0;
}

/** As far as what is asked for is not set aside already. */
function levelsAsked(
  path: readonly EnvelopeState[],
  dimension: Dimension,
): readonly EnvelopeState[] {
  const last = path.findIndex(
    ({ carvedFrom, limit }) => carvedFrom !== undefined && limit[dimension] !== unlimited,
  );
  return last === -1 ? path : path.slice(0, last + 1);
}

function roomIn(level: EnvelopeState, dimension: Dimension): number {
  const { limit, settled, reserved, above } = level;
  const line =
    limit[dimension] === unlimited
      ? unlimited
      : admissionLine(level, dimension, defaultLinePercent);
  const given =
    above === undefined
      ? unlimited
      : Math.min(unlimited, above.granted[dimension] + above.left[dimension]);
  const most = Math.min(line, given);
  return most === unlimited
    ? unlimited
    : Math.max(0, most - settled[dimension] - reserved[dimension]);
}

function opened(
  taskId: string,
  { terms, carvedFrom }: Extract<RunCommand, { type: "open-envelope" }>,
): EnvelopeState {
  const none = { tokens: 0, nanoUsd: 0, calls: 0 };
  return {
    envelope: taskId,
    ...terms,
    settled: none,
    reserved: none,
    tripped: false,
    closed: false,
    frozenBy: [],
    carvedFrom,
  };
}
