/**
 * The isolates of one worker: a source for each agent, and the count of what could not be ended.
 *
 * S1. A thread that does not end is counted until it does; with `maxStuckThreads` of them at once the worker should be retired,
 *     which is said once (WD-13).
 */
import type { AnyAgent } from "@bridle/agent";
import type { Clock, Ids } from "@bridle/kernel";

import { ExitByForce } from "./exit-by-force.ts";
import { inlineSource } from "./inline-source.ts";
import { IsolatePool } from "./isolate-pool.ts";
import { IsolateRecords } from "./isolate-records.ts";
import type { IsolateSettings } from "./isolate-settings.ts";
import type { IsolateSource } from "./isolate-source.ts";
import { findPidNamespace } from "./pid-namespace.ts";
import type { NamespacePrefix } from "./pid-namespace.ts";
import { startProcessIsolate } from "./start-process-isolate.ts";
import { startThreadIsolate } from "./start-thread-isolate.ts";
import { threadPatienceMs } from "./thread-isolate.ts";

export interface IsolateSourcesOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: IsolateSettings;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stateFolder: string | undefined;
  readonly bootId: string;
  /** Contract: must not throw. What could not be ended, as a sentence. */
  readonly onDegraded: (reason: string) => void;
  /** Contract: called once at most; must not throw. */
  readonly onRetire: (reason: string) => void;
  /** Default: by trying. */
  readonly findNamespace?: (() => Promise<NamespacePrefix | undefined>) | undefined;
}

export class IsolateSources {
  readonly #options: IsolateSourcesOptions;
  readonly #records: IsolateRecords;
  readonly #sources: IsolateSource[] = [];
  readonly #exit = new ExitByForce();
  #abandoned = 0;
  #stuckThreads = 0;
  #isRetired = false;
  #probe: Promise<NamespacePrefix | undefined> | undefined;

  constructor(options: IsolateSourcesOptions) {
    this.#options = options;
    this.#records = new IsolateRecords(options);
  }

  /** Inline tasks that ignored their stop, over the life of this worker. */
  get abandoned(): number {
    return this.#abandoned;
  }

  /** Threads that were given up and have not ended yet. */
  get stuckThreads(): number {
    return this.#stuckThreads;
  }

  open(agent: AnyAgent): IsolateSource {
    const source = this.#sourceOf(agent);
    this.#sources.push(source);
    return source;
  }

  /** Ends all that is idle. */
  async close(): Promise<void> {
    await Promise.all(this.#sources.map(async (source) => source.close()));
  }

  /** For when nothing runs any more. */
  closeRecords(): void {
    this.#records.close();
  }

  #sourceOf(agent: AnyAgent): IsolateSource {
    const { clock, ids, settings, environment } = this.#options;
    const records = this.#records;
    const common = { agent, clock, ids, settings, environment };
    switch (agent.isolation) {
      case "inline":
        return inlineSource({ agent, clock, onAbandoned: () => (this.#abandoned += 1) });
      case "thread": {
        const onStuck = (ended: Promise<void>): void => this.#stuck(agent.name, ended);
        return new IsolatePool({
          ...common,
          start: async () => startThreadIsolate({ ...common, onStuck }),
        });
      }
      case "process":
        return new IsolatePool({
          ...common,
          start: async () =>
            startProcessIsolate({ ...common, records, namespace: async () => this.#namespace() }),
        });
    }
  }

  async #namespace(): Promise<NamespacePrefix | undefined> {
    if (!this.#options.settings.pidNamespace) return undefined;
    this.#probe ??= this.#findNamespace();
    return this.#probe;
  }

  async #findNamespace(): Promise<NamespacePrefix | undefined> {
    const found = await (this.#options.findNamespace ?? findPidNamespace)();
    if (found === undefined) {
      this.#options.onDegraded(
        "this system lets the worker have no PID namespaces (unshare --pid): agents run without, and a daemon that cleaned its environment would outlive its task",
      );
    }
    return found;
  }

  #stuck(agent: string, ended: Promise<void>): void {
    const { settings, onDegraded, onRetire } = this.#options;
    this.#stuckThreads += 1;
    this.#exit.hold();
    void ended.then(() => this.#hasEnded());
    const reason = `a thread of the agent "${agent}" has not ended ${threadPatienceMs} ms after it was terminated and is given up; stuck threads now: ${this.#stuckThreads}, this worker retires at ${settings.maxStuckThreads}`;
    onDegraded(reason);
    if (this.#stuckThreads < settings.maxStuckThreads || this.#isRetired) return;
    this.#isRetired = true;
    onRetire(reason);
  }

  #hasEnded(): void {
    this.#stuckThreads -= 1;
    this.#exit.letGo();
  }
}
