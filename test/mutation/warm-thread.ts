/**
 * The thread in which a package's tests stay loaded while one mutant after the other is switched on (`warm-runner.mjs`
 * asks). Loading them costs a quarter of a second, most tests a millisecond.
 *
 * 1. A test that a mutant fails must pass again without it, at once. If it does not, the mutant (or an earlier one) left
 *    something behind: the answer is `unsure`, and what is loaded here is not used again.
 * 2. Every test is run a second time before the first mutant: one that cannot be run twice would be taken for a kill.
 */
import { BroadcastChannel } from "node:worker_threads";

import { TestRunner } from "vitest";
import type { RunnerTestCase, RunnerTestFile, RunnerTestSuite } from "vitest";

export interface WarmAsk {
  readonly mutantId: string;
  /** `file#title` as Stryker names them; in the order in which they are tried. */
  readonly tests: readonly string[];
  readonly hitLimit: number | undefined;
}

export type WarmAnswer =
  | {
      readonly type: "ready";
      readonly unfit: readonly string[];
      /** What one run of each test costs: milliseconds of CPU. */
      readonly costs: ReadonlyMap<string, number>;
    }
  | { readonly type: "survived" | "timeout" | "unsure"; readonly tried: number }
  | {
      readonly type: "killed";
      readonly tried: number;
      readonly test: string;
      readonly message: string;
    };

/** What instrumented code looks at. */
interface StrykerState {
  activeMutant?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
}

const global = globalThis as { ["__stryker__"]?: StrykerState };

export default class WarmThread extends TestRunner {
  readonly #tests = new Map<string, RunnerTestCase[]>();
  #files = 0;

  /** Called, and waited for, after each file. */
  // oxlint-disable-next-line typescript/no-misused-promises -- the class says void, the interface it implements a promise too
  override async onAfterRunFiles(files: readonly RunnerTestFile[] = []): Promise<void> {
    super.onAfterRunFiles();
    for (const file of files) this.#collect(file, `${file.name}#`);
    this.#files += files.length;
    if (this.#files === this.injectValue("warmFiles")) await this.#serve();
  }

  async #serve(): Promise<void> {
    const channel = new BroadcastChannel("mutants");
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between threads has no origins
    const answer = (message: WarmAnswer): void => channel.postMessage(message);
    const over = new Promise<void>((resolve) => {
      channel.addEventListener("message", (event) => {
        // Only `warm-runner.mjs` talks here.
        const data = (event as MessageEvent).data as WarmAsk | "end";
        if (data === "end") resolve();
        else void this.#judge(data).then(answer);
      });
    });
    const costs = new Map<string, number>();
    answer({ type: "ready", unfit: await this.#unfit(costs), costs });
    await over;
    channel.close();
  }

  #collect(suite: RunnerTestSuite, path: string): void {
    for (const task of suite.tasks) {
      const name = path.endsWith("#") ? `${path}${task.name}` : `${path} ${task.name}`;
      if (task.type === "suite") this.#collect(task, name);
      else this.#tests.set(name, [...(this.#tests.get(name) ?? []), task]);
    }
  }

  /** Tests that do not pass a second time, and those whose hooks nobody would run; notes what each costs. */
  async #unfit(costs: Map<string, number>): Promise<readonly string[]> {
    const unfit: string[] = [];
    for (const [name, cases] of this.#tests) {
      const before = process.cpuUsage();
      const isHooked = cases.some((test) => hooksAround(test) > 0);
      // oxlint-disable-next-line no-await-in-loop -- one test at a time, as the runner does
      if (isHooked || (await this.#fault(name)) !== undefined) unfit.push(name);
      const { user, system } = process.cpuUsage(before);
      costs.set(name, (user + system) / 1000);
    }
    return unfit;
  }

  async #judge({ mutantId, tests, hitLimit }: WarmAsk): Promise<WarmAnswer> {
    let tried = 0;
    for (const test of tests) {
      tried += 1;
      const stryker: StrykerState = Object.assign((global["__stryker__"] ??= {}), {
        activeMutant: mutantId,
        hitCount: 0,
        hitLimit,
      });
      // oxlint-disable-next-line no-await-in-loop -- one test at a time, as the runner does
      const message = await this.#fault(test);
      const isEndless = hitLimit !== undefined && (stryker.hitCount ?? 0) > hitLimit;
      Object.assign(stryker, { activeMutant: undefined, hitLimit: undefined });
      if (message === undefined && !isEndless) continue;
      // oxlint-disable-next-line no-await-in-loop -- see above
      if ((await this.#fault(test)) !== undefined) return { type: "unsure", tried };
      return isEndless
        ? { type: "timeout", tried }
        : { type: "killed", tried, test, message: message ?? "" };
    }
    return { type: "survived", tried };
  }

  /** What the first failing test of this name says; undefined when all pass. Throws when there is none. */
  async #fault(name: string): Promise<string | undefined> {
    const cases = this.#tests.get(name);
    if (cases === undefined) throw new Error(`There is no test ${name}.`);
    for (const test of cases) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one test at a time, as the runner does
        await TestRunner.getTestFn(test)();
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    }
    return undefined;
  }
}

function hooksAround(test: RunnerTestCase): number {
  let hooks = 0;
  for (let suite: RunnerTestSuite | undefined = test.suite ?? test.file; ;) {
    hooks += Object.values(TestRunner.getSuiteHooks(suite) ?? {}).flat().length;
    if (suite === test.file) return hooks;
    suite = suite.suite ?? test.file;
  }
}
