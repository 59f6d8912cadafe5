import path from "node:path";
import { BroadcastChannel } from "node:worker_threads";

import { strykerPlugins as vitestPlugins } from "@stryker-mutator/vitest-runner";
import { createVitest } from "vitest/node";

/**
 * Stryker's Vitest runner with the tests kept loaded between mutants: milliseconds each instead of a new thread, all of
 * the package's modules and zod. It takes what can be switched on while the tests are loaded; the dry run, static mutants,
 * and whatever `warm-thread.ts` is unsure of go to the runner underneath.
 */
class WarmRunner {
  static inject = ["options", "$injector"];
  #options;
  #cold;
  /** Undefined while it warms up again. */
  #session;
  /** Test → milliseconds of CPU. */
  #costs = new Map();

  constructor(options, injector) {
    this.#options = options;
    const [{ factory }] = vitestPlugins;
    this.#cold = injector.injectFunction(factory);
  }

  capabilities() {
    return this.#cold.capabilities();
  }

  /** Loads the tests here, where Stryker's clock does not run: warming up must not look like a mutant that hangs. */
  async init() {
    await this.#cold.init();
    this.#session = await this.#open();
  }

  async dryRun(options) {
    return this.#cold.dryRun(options);
  }

  async mutantRun(options) {
    const { mutantActivation, activeMutant } = options;
    const testFilter = this.#cheapFirst(options.testFilter ?? [...this.#costs.keys()]);
    const session = this.#session;
    if (mutantActivation === "static" || session === undefined) {
      return this.#fresh({ ...options, testFilter });
    }
    const tests = testFilter.filter((test) => session.isFit(test));
    const answer = await session.ask({ mutantId: activeMutant.id, tests });
    switch (answer.type) {
      case "killed":
        return {
          status: "killed",
          killedBy: [answer.test],
          failureMessage: answer.message,
          nrOfTests: answer.tried,
        };
      case "timeout":
        return { status: "timeout", reason: "It does many times what the code does" };
      case "survived": {
        const doubtful = testFilter.filter((test) => session.isDoubtful(test));
        if (doubtful.length > 0) return this.#fresh({ ...options, testFilter: doubtful });
        return { status: "survived", nrOfTests: answer.tried };
      }
      default:
        void this.#renew(session);
        return this.#fresh({ ...options, testFilter });
    }
  }

  /** In a new thread. With a mutant that lets a file of tests not even load, Stryker's runner counts no failure, and no test. */
  async #fresh(options) {
    const { testFilter } = options;
    const result = await this.#cold.mutantRun(options);
    const loaded = result.status !== "survived" || result.nrOfTests >= testFilter.length;
    if (loaded) return result;
    const failureMessage = "Not all of the tests load";
    return { status: "killed", killedBy: [testFilter[0]], failureMessage, nrOfTests: 0 };
  }

  /**
   * A run ends with the first test that fails. What costs more than the package bears is not asked at all: a mutant that only such a
   * test would find counts as a survivor.
   */
  #cheapFirst(tests) {
    const { mostTestMs = Infinity } = this.#options.warmVitest ?? {};
    const costOf = (test) => this.#costs.get(test) ?? 0;
    return tests
      .filter((test) => costOf(test) <= mostTestMs)
      .toSorted((one, other) => costOf(one) - costOf(other));
  }

  async dispose() {
    await this.#session?.end();
    await this.#cold.dispose();
  }

  /** Until the new session is there, mutants are judged the slow way. */
  async #renew(session) {
    this.#session = undefined;
    await session.end();
    this.#session = await this.#open();
  }

  async #open() {
    const { configFile, dir } = this.#options.vitest;
    const channel = new BroadcastChannel("mutants");
    const next = () =>
      new Promise((resolve) => {
        channel.addEventListener("message", ({ data }) => resolve(data), { once: true });
      });
    const ready = next();
    const vitest = await createVitest("test", {
      config: configFile,
      dir,
      runner: path.resolve("test/mutation/warm-thread.ts"),
      maxWorkers: 1,
      watch: false,
      reporters: [{}],
    });
    const files = await vitest.globTestSpecifications();
    vitest.provide("warmFiles", files.length);
    const run = vitest.start();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between threads has no origins
    const post = (message) => channel.postMessage(message);
    const { unfit, remembering, costs } = await ready;

    if (this.#costs.size === 0) this.#costs = costs;
    return {
      isFit: (test) => costs.has(test) && !unfit.includes(test),
      isDoubtful: (test) => !costs.has(test) || unfit.includes(test) || remembering.includes(test),
      ask: async (message) => {
        const answer = next();
        post(message);
        return answer;
      },
      end: async () => {
        post("end");
        await run;
        await vitest.close();
        channel.close();
      },
    };
  }
}

export const strykerPlugins = [
  { kind: "TestRunner", name: "warm-vitest", injectableClass: WarmRunner },
];

/** What `mutate-package.ts` may set. */
export const strykerValidationSchema = {
  properties: {
    warmVitest: {
      type: "object",
      additionalProperties: false,
      properties: { mostTestMs: { type: "number", exclusiveMinimum: 0 } },
    },
  },
};
