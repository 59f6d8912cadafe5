import type { AnyAgent } from "@bridle/agent";
import type { Clock } from "@bridle/kernel";
import type { FromIsolate, ToIsolate } from "@bridle/protocol";

import { takePayload } from "../wire/payload.ts";
import { toError } from "./fault.ts";
import { TaskSession } from "./task-session.ts";

export interface TaskHostOptions {
  readonly agent: AnyAgent;
  readonly clock: Clock;
  /** Where values too large for a frame are exchanged; undefined when both sides share memory. */
  readonly folder: string | undefined;
  readonly send: (message: FromIsolate) => void;
  /** Names of what keeps the process busy: timers, sockets, children. Undefined in a process that is not the agent's alone. */
  readonly activeResources: (() => readonly string[]) | undefined;
}

type Start = Extract<ToIsolate, { type: "start" }>;

/**
 * The inside of an isolate, the same code in a child process and inline: one task at a time, messages in, messages out.
 * Words for another task than the one in hand are dropped.
 */
export class TaskHost {
  readonly #options: TaskHostOptions;
  #session: TaskSession | undefined;

  constructor(options: TaskHostOptions) {
    this.#options = options;
  }

  handle(message: ToIsolate): void {
    if (message.type === "start") {
      void this.#start(message);
      return;
    }
    const session = this.#session;
    if (session === undefined || session.options.token !== message.token) return;
    if (message.type === "cancel") session.cancel(message.reason);
    else if (message.type === "nudge") session.nudge(message.hint);
    else if (message.type === "delta") session.requests.delta(message.id, message.text);
    else if (message.type === "refusal") {
      session.requests.refuse(message.id, toError(message.error, message.id));
    } else session.requests.answer(message.id, this.#unpack(message.value));
  }

  /** The task in hand, if any, is cut off; its code may still run. */
  abandon(): void {
    this.#session?.abandon();
  }

  async #start({ token, task, input }: Start): Promise<void> {
    const { agent, clock, folder, send, activeResources } = this.#options;
    const baseline = activeResources?.() ?? [];
    const session = new TaskSession({
      agent,
      token,
      task,
      input: this.#unpack(input),
      clock,
      folder,
      send,
    });
    this.#session = session;
    await session.run();
    this.#session = undefined;
    const dirty = activeResources !== undefined && (await leavesMore(activeResources, baseline));
    send({ type: "rested", token, dirty });
  }

  #unpack(payload: Extract<ToIsolate, { type: "answer" }>["value"]): unknown {
    const { folder } = this.#options;
    return JSON.parse(takePayload(payload, { folder, maxBytes: Number.MAX_SAFE_INTEGER }));
  }
}

async function leavesMore(
  activeResources: () => readonly string[],
  baseline: readonly string[],
): Promise<boolean> {
  // One turn of the loop, so that what the agent closed on its way out is really gone.
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  return hasMore(activeResources(), baseline);
}

/** Whether any kind of resource occurs more often than before. */
function hasMore(now: readonly string[], before: readonly string[]): boolean {
  const left = new Map<string, number>();
  for (const kind of before) left.set(kind, (left.get(kind) ?? 0) + 1);
  return now.some((kind) => {
    const count = left.get(kind) ?? 0;
    left.set(kind, count - 1);
    return count <= 0;
  });
}
