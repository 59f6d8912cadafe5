/** Those outside: they submit, order, and ask again until they are answered. */
import type { Submit } from "@bridle/orchestrator";
import type { Store } from "@bridle/ports";
import type { InboxMessage } from "@bridle/ports";
import { asTaskId } from "@bridle/protocol";
import type { Amounts, RunId } from "@bridle/protocol";

import type { Order, PlannedRun } from "../scenario/scenario.ts";
import type { SimulationTime } from "./simulation-time.ts";

/** The server as it can be reached now; undefined while it is down. */
export interface Door {
  readonly submit: Submit;
  readonly store: Store;
  readonly wallMs: () => number;
}

export interface PeopleOptions {
  readonly time: SimulationTime;
  readonly door: () => Door | undefined;
  /** What the key with which they submit may spend in a day. */
  readonly keyPerDay: Amounts | undefined;
}

/** A client gives up on one request after this and asks again. */
const patienceMs = 3000;

export class People {
  readonly #options: PeopleOptions;
  readonly #runIds = new Map<number, RunId>();

  constructor(options: PeopleOptions) {
    this.#options = options;
  }

  /** Resolves when the run was accepted, or refused for today. Asks with the same idempotency key each time. */
  async submit(index: number, { spec, input }: PlannedRun): Promise<void> {
    const idempotency = { key: `key-${index}`, bodyHash: `hash-${index}` };
    const traceId = (index + 1).toString(16).padStart(32, "a");
    const tenantPerDay = this.#options.keyPerDay;
    const key = tenantPerDay === undefined ? {} : { tenant: "somebody", tenantPerDay };
    const answer = await this.#insist(async ({ submit }) =>
      submit({ spec, input, idempotency, traceId, ...key }).catch(refusedToday),
    );
    if (answer !== "day_spent") this.#runIds.set(index, answer.runId);
  }

  /** Nothing happens when the run is not known yet. */
  async order(order: Order): Promise<void> {
    const runId = this.#runIds.get(order.run);
    if (runId === undefined) return;
    await this.#insist(async ({ store, wallMs }) =>
      store.inbox.put(runId, messageOf(order), wallMs()),
    );
  }

  async #insist<Answer>(ask: (door: Door) => Promise<Answer>): Promise<Answer> {
    const { time, door } = this.#options;
    for (;;) {
      const open = door();
      // oxlint-disable-next-line no-await-in-loop -- one request at a time
      const answer = open === undefined ? undefined : await this.#ask(open, ask);
      if (answer !== undefined) return answer.value;
      // oxlint-disable-next-line no-await-in-loop -- the pause between two requests
      await time.sleep(1000);
    }
  }

  async #ask<Answer>(
    door: Door,
    ask: (door: Door) => Promise<Answer>,
  ): Promise<{ readonly value: Answer } | undefined> {
    const answered = ask(door).then(
      (value) => ({ value }),
      (error: unknown) => {
        if (isTemporary(error)) return undefined;
        throw error;
      },
    );
    return Promise.race([answered, this.#options.time.sleep(patienceMs).then(() => undefined)]);
  }
}

function refusedToday(error: unknown): "day_spent" {
  if ((error as { readonly code?: unknown }).code === "day_budget_spent") return "day_spent";
  throw error;
}

function isTemporary(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === "store_unavailable";
}

function messageOf(order: Order): InboxMessage {
  switch (order.kind) {
    case "cancel":
      return {
        kind: "cancel",
        reason: "changed my mind",
        by: "somebody",
        ...(order.task === undefined ? {} : { taskId: asTaskId(order.task) }),
      };
    case "pause":
      return { kind: "pause", reason: "lunch", by: "somebody" };
    case "resume":
      return { kind: "resume", by: "somebody" };
  }
}
