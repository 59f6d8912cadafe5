/**
 * The thread in which a package's tests stay loaded while one mutant after the other is switched on (`warm-runner.mjs`
 * asks). Loading them costs a quarter of a second, most tests a millisecond.
 *
 * 1. A test that a mutant fails must pass again without it, at once. If it does not, the mutant (or an earlier one) left
 *    something behind: the answer is `unsure`, and what is loaded here is not used again.
 * 2. Every test is run a second time before the first mutant: one that cannot be run twice would be taken for a kill.
 * 3. A mutant that hangs is ended by what it does, not by a clock: each test has its own count of steps without a mutant,
 *    and many times that many are endless. Steps are counted in all of the package, since the loop that no longer ends is
 *    often not where the mutant is. Only what waits without a step is left to Stryker's clock.
 * 4. What the code remembers between tests (a memo of parsed texts) would hide a mutant from the second run of a test. It
 *    shows by the steps that the second run saves, and a survivor is then tried by such tests in a fresh start as well.
 */
import { BroadcastChannel } from "node:worker_threads";

import { TestRunner } from "vitest";
import type {
  RunnerTask,
  RunnerTestCase,
  RunnerTestFile,
  RunnerTestSuite,
  SerializedConfig,
} from "vitest";

export interface WarmAsk {
  readonly mutantId: string;
  /** `file#title` as Stryker names them; in the order in which they are tried. */
  readonly tests: readonly string[];
}

export type WarmAnswer =
  | {
      readonly type: "ready";
      readonly unfit: readonly string[];
      readonly remembering: readonly string[];
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
  /** How often the active mutant was met; beyond the limit it throws. */
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  /** Where every other place notes that it was passed; beyond the limit of steps this throws. */
  mutantCoverage?: object;
}

/** Within a test's steps without a mutant times this, plus `leastSteps`, a mutant may do more than the code does. */
const mostTimesTheSteps = 30;
/** Some hundredths of a second. */
const leastSteps = 200_000;

/** Any step less, and a test goes by what was remembered; of more steps than these, as properties take, a quarter less. */
const fewSteps = 5000;
const leastShareAgain = 0.75;

const global = globalThis as { ["__stryker__"]?: StrykerState };

export default class WarmThread extends TestRunner {
  readonly #tests = new Map<string, RunnerTestCase[]>();
  readonly #stepsOf = new Map<string, number>();
  readonly #firstSteps = new Map<object, number>();
  readonly #stryker: StrykerState = (global["__stryker__"] ??= {});
  #files = 0;
  #steps = 0;
  #mostSteps = Number.POSITIVE_INFINITY;

  constructor(config: SerializedConfig) {
    super(config);
    this.#countSteps();
  }

  override onBeforeTryTask(test: RunnerTask): void {
    super.onBeforeTryTask(test);
    this.#steps = 0;
  }

  override onAfterTryTask(test: RunnerTestCase): void {
    this.#firstSteps.set(test, this.#steps);
    super.onAfterTryTask(test);
  }

  /** Called, and waited for, after each file. */
  // oxlint-disable-next-line typescript/no-misused-promises -- the class says void, the interface it implements a promise too
  override async onAfterRunFiles(files: readonly RunnerTestFile[] = []): Promise<void> {
    super.onAfterRunFiles();
    for (const file of files) this.#collect(file, file.name);
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
        else void this.#judge(data).then(answer, () => answer({ type: "unsure", tried: 0 }));
      });
    });
    const costs = new Map<string, number>();
    const unfit = await this.#unfit(costs);
    answer({ type: "ready", unfit, remembering: this.#remembering(), costs });
    await over;
    channel.close();
  }

  /** Instrumented code asks for `static` each time it passes a place that could be mutated. */
  #countSteps(): void {
    const step = (): Record<string, number> => {
      this.#steps += 1;
      if (this.#steps > this.#mostSteps) throw new Error(`More than ${this.#mostSteps} steps`);
      return passed;
    };
    const passed: Record<string, number> = {};
    // Every module keeps the object that was there when it was loaded.
    Object.defineProperty((this.#stryker.mutantCoverage ??= {}), "static", { get: step });
  }

  /** By `file#title`, as Stryker names them. */
  #collect(suite: RunnerTestSuite, file: string, titles: readonly string[] = []): void {
    for (const task of suite.tasks) {
      const path = [...titles, task.name];
      const name = `${file}#${path.join(" ").trim()}`;
      if (task.type === "suite") this.#collect(task, file, path);
      else this.#tests.set(name, [...(this.#tests.get(name) ?? []), task]);
    }
  }

  /** Tests that do not pass a second time, and those whose hooks nobody would run; notes what each costs. */
  async #unfit(costs: Map<string, number>): Promise<readonly string[]> {
    const unfit: string[] = [];
    for (const [name, cases] of this.#tests) {
      const before = process.cpuUsage();
      this.#steps = 0;
      const isHooked = cases.some((test) => hooksAround(test) > 0);
      // oxlint-disable-next-line no-await-in-loop -- one test at a time, as the runner does
      if (isHooked || (await this.#fault(name)) !== undefined) unfit.push(name);
      this.#stepsOf.set(name, this.#steps);
      const { user, system } = process.cpuUsage(before);
      costs.set(name, (user + system) / 1000);
    }
    return unfit;
  }

  /** Tests that take less the second time (4). */
  #remembering(): readonly string[] {
    return [...this.#tests].flatMap(([name, cases]) => {
      const first = cases.reduce((sum, test) => sum + (this.#firstSteps.get(test) ?? 0), 0);
      const least = first > fewSteps ? leastShareAgain * first : first;
      return (this.#stepsOf.get(name) ?? 0) < least ? [name] : [];
    });
  }

  async #judge({ mutantId, tests }: WarmAsk): Promise<WarmAnswer> {
    let tried = 0;
    for (const test of tests) {
      tried += 1;
      // oxlint-disable-next-line no-await-in-loop -- one test at a time, as the runner does
      const { message, isEndless } = await this.#mutated(test, mutantId);
      if (message === undefined && !isEndless) continue;
      // oxlint-disable-next-line no-await-in-loop -- see above
      if ((await this.#fault(test)) !== undefined) return { type: "unsure", tried };
      return isEndless
        ? { type: "timeout", tried }
        : { type: "killed", tried, test, message: message ?? "" };
    }
    return { type: "survived", tried };
  }

  async #mutated(
    test: string,
    mutantId: string,
  ): Promise<{ message: string | undefined; isEndless: boolean }> {
    const hitLimit = leastSteps + mostTimesTheSteps * (this.#stepsOf.get(test) ?? 0);
    this.#steps = 0;
    this.#mostSteps = hitLimit;
    Object.assign(this.#stryker, { activeMutant: mutantId, hitCount: 0, hitLimit });
    const message = await this.#fault(test);
    const isEndless = this.#steps > hitLimit || (this.#stryker.hitCount ?? 0) > hitLimit;
    this.#mostSteps = Number.POSITIVE_INFINITY;
    Object.assign(this.#stryker, { activeMutant: undefined, hitLimit: undefined });
    return { message, isEndless };
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
