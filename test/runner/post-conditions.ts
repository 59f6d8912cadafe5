/**
 * What must hold when a task has ended, looked at for every task of every test on the rig of real processes (WD-15).
 *
 * P1. When the end of a stopped attempt is stored, nothing of its isolate is alive. Any other attempt may leave its isolate warm: as it
 *     was before, no more.
 * P2. When an end is stored, its run's envelopes hold nothing in reserve.
 * P3. When the worker has stopped, no task, call or watch is open, and no program of any isolate is alive.
 */
import { aliveUnder, isAlive, isolateToken } from "@bridle/fake-agents/process-table";
import type { Store } from "@bridle/ports";
import type { BridleEvent, RunId } from "@bridle/protocol";

import type { Rig } from "../../packages/runner/test/rig.ts";

interface Started {
  readonly pid: number;
  readonly token: string;
  /** Before its task began: its process, the lifeline, and what holds its namespace. */
  readonly processes: number;
  wasStopped: boolean;
}

export class PostConditions {
  readonly #started = new Map<string, Started>();
  readonly #found: string[] = [];
  /** Ends that were looked at. */
  ends = 0;

  /** For the rig's bus: at its start an isolate is alive, so its token can be read. */
  hear(event: BridleEvent): void {
    if (event.type === "task.started" && event.pid !== undefined) {
      const token = isolateToken(event.pid);
      if (token === undefined) return;
      const processes = aliveUnder(new Set([token])).length;
      this.#started.set(keyOf(event), { pid: event.pid, token, processes, wasStopped: false });
    }
    if (event.type === "task.stopped") {
      const started = this.#started.get(keyOf(event));
      if (started !== undefined) started.wasStopped = true;
    }
  }

  wrap(store: Store): Store {
    const finish: Store["attempts"]["finish"] = async (given) => {
      const key = keyOf(given);
      // What ends well is given back beside its finish, not before it.
      if (given.outcome.status === "failed") this.#lookAtProcesses(key);
      const answer = await store.attempts.finish(given);
      if (answer.accepted) await this.#lookAtMoney(store, key, given.runId);
      this.ends += 1;
      return answer;
    };
    return {
      ...store,
      // Its methods may stand on a prototype.
      attempts: Object.assign(Object.create(store.attempts) as Store["attempts"], { finish }),
    };
  }

  /** For when the runner has stopped. Throws with everything that was found of all its tasks. */
  check({ runner, scanners }: Pick<Rig, "runner" | "scanners">): void {
    const { active, openCalls } = runner.state;
    const watches = scanners.reduce((sum, { open }) => sum + open, 0);
    this.#expect(active === 0, `${active} tasks are in hand of a worker that has stopped`);
    this.#expect(openCalls === 0, `${openCalls} calls are open of a worker that has stopped`);
    this.#expect(watches === 0, `${watches} watches are open of a worker that has stopped`);
    const tokens = new Set([...this.#started.values()].map(({ token }) => token));
    const left = aliveUnder(tokens);
    this.#expect(left.length === 0, `processes ${left.join(", ")} outlive their worker's stop`);
    if (this.#found.length > 0) throw new Error(`After its tasks: ${this.#found.join("; ")}.`);
  }

  #lookAtProcesses(key: string): void {
    const started = this.#started.get(key);
    if (started === undefined) return;
    const left = aliveUnder(new Set([started.token]));
    const isWarm = !started.wasStopped && isAlive(started.pid);
    this.#expect(
      left.length <= (isWarm ? started.processes : 0),
      `${key} has ended and left the processes ${left.join(", ")}`,
    );
  }

  async #lookAtMoney({ ledger }: Store, key: string, runId: RunId): Promise<void> {
    for (const { envelope, reserved } of await ledger.envelopes(runId)) {
      const { tokens, nanoUsd, calls } = reserved;
      const isFree = tokens + nanoUsd + calls === 0;
      this.#expect(isFree, `${key} has ended and "${envelope}" still holds ${calls} calls`);
    }
  }

  #expect(isKept: boolean, otherwise: string): void {
    if (!isKept) this.#found.push(otherwise);
  }
}

function keyOf(of: { readonly runId: string; readonly taskId: string; readonly attempt: number }) {
  return `${of.runId}/${of.taskId}/${of.attempt}`;
}
