/**
 * One attempt, from its claim to its finish.
 *
 * 1. Watched before the isolate has the task, unwatched when the isolate is done with it.
 * 2. mark → cancel → force, in this order, once (WD-13): stop orders, verdicts and fences all come through `stop`.
 * 3. Before the finish: calls settled. With it: the end of the journal, so that no result stands without it. The finish ends what is left and is tried until the store answers.
 * 4. The isolate is given back clean or ended; nothing of it outlives the attempt (WD-15).
 */
import { routeOutcome } from "@bridle/breaker";
import type { BreakerRefusal, TaskWatch } from "@bridle/breaker";
import { CodedError } from "@bridle/kernel";
import { bridleError } from "@bridle/protocol";

import { breakerRefused } from "../admission/breaker-refused.ts";
import { governedTask } from "../admission/governed-task.ts";
import type { IsolateSource } from "../isolates/isolate-source.ts";
import type { Isolate } from "../isolates/isolate.ts";
import { failedBy } from "../outcome/attempt-end.ts";
import type { AttemptEnd } from "../outcome/attempt-end.ts";
import type { WatchVerdict } from "../scanner/scanner.ts";
import { watchMemory } from "../worker/memory-watch.ts";
import { AttemptCore } from "./attempt-core.ts";
import type { AttemptCoreOptions } from "./attempt-core.ts";
import type { StopRequest } from "./attempt-scope.ts";
import { coded } from "./coded.ts";
import { finishAttempt } from "./finish-attempt.ts";
import { IsolateRun } from "./isolate-run.ts";
import { declaredModels, refusalOfAll } from "./refused-targets.ts";
import { agentKeys } from "./serve-model.ts";
import { stoppedEnd } from "./stop-ladder.ts";
import { stopOfVerdict } from "./stop-of-verdict.ts";

export interface AttemptOptions extends AttemptCoreOptions {
  readonly source: IsolateSource;
}

const journalPatienceMs = 5000;

export class Attempt {
  readonly #core: AttemptCore;
  readonly #options: AttemptOptions;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#core = new AttemptCore(options);
  }

  /** Contract: may come at any time, any number of times; the first one counts, none does after the end. */
  stop(request: StopRequest): void {
    this.#core.stop(request);
  }

  hearVerdict(verdict: WatchVerdict): void {
    const { spender, worker, watch } = this.#options;
    watch.acknowledge();
    const answer = stopOfVerdict(verdict, spender, worker.clock.wallMs());
    if (answer.kind === "stop") this.#core.stop(answer.request);
    if (answer.kind === "note") this.#core.write(answer.event);
  }

  /** Resolves when the attempt is finished in the store and nothing of it is left here. Never rejects. */
  async run(): Promise<void> {
    const keys = agentKeys(this.#core.scope(undefined));
    this.#tellClaimed();
    const { breakers, clock } = this.#options.worker;
    const answer = breakers.check(keys);
    const taskWatch = breakers.watchTask(keys);
    const refusal = answer.allowed ? this.#refusedModels() : answer;
    if (refusal === undefined) await this.#runWatched(taskWatch);
    else await this.#finish(failedBy(breakerRefused(refusal, clock.wallMs())), taskWatch);
  }

  /** BR-18: not started only to be refused. */
  #refusedModels(): BreakerRefusal | undefined {
    const { agent, envelope, worker } = this.#options;
    const { models, breakers } = worker;
    const { allowModelFallback } = envelope;
    const ask = { models, breakers, allowModelFallback };
    return refusalOfAll(ask, declaredModels(agent, envelope));
  }

  /** It stands in the log since the claim itself; here the bus of this process hears of it. */
  #tellClaimed(): void {
    const { worker, spender, traceId } = this.#options;
    const { workerId, bootId, clock, bus } = worker;
    const at = clock.wallMs();
    bus.emit({ type: "task.claimed", ...spender, traceId, at, workerId, bootId });
  }

  async #runWatched(taskWatch: TaskWatch): Promise<void> {
    const isolate = await this.#acquire();
    if (!("send" in isolate)) {
      await this.#finish(isolate, taskWatch);
      return;
    }
    const run = new IsolateRun(this.#core, isolate);
    const unwatchMemory = this.#watchMemory(isolate);
    const end = await run.run();
    unwatchMemory();
    const released = this.#release(run, isolate);
    // A stopped isolate is ended before the attempt is: whoever runs the task next must not meet it.
    if (end.status === "failed") await released;
    await this.#finish(end, taskWatch);
    await released;
  }

  /** An isolate, or how the attempt ended for want of one. */
  async #acquire(): Promise<Isolate | AttemptEnd> {
    const { source } = this.#options;
    const acquiring = source.acquire().catch((error: unknown) => coded(error, "agent_broken"));
    const stopped = this.#core.stopped.promise;
    const first = await Promise.race([acquiring, stopped.then((stop) => ({ stop }))]);
    if (first instanceof CodedError) return failedBy(first);
    if (!("stop" in first)) return first;
    void this.#giveBack(acquiring);
    return stoppedEnd(first.stop, 0);
  }

  /** An isolate that became ready after its task was stopped (B113). */
  async #giveBack(acquiring: Promise<Isolate | CodedError>): Promise<void> {
    const late = await acquiring;
    if (!(late instanceof CodedError)) await this.#options.source.release(late, false);
  }

  async #release(run: IsolateRun, isolate: Isolate): Promise<void> {
    const isReusable = await run.isClean();
    await this.#options.source.release(isolate, isReusable);
    this.#options.watch.setPid(undefined);
  }

  #watchMemory(isolate: Isolate): () => void {
    if (isolate.pid === undefined) return () => {};
    const { clock, settings } = this.#options.worker;
    return watchMemory({
      clock,
      isolate,
      limitBytes: settings.isolates.memoryBytes,
      onExceeded: (bytes) => {
        const message = `The agent's process used ${bytes} bytes of memory; the limit is ${settings.isolates.memoryBytes}.`;
        const error = bridleError("child_crashed", { message, details: { bytes } });
        this.stop({ cause: "child_crashed", error, acceptsResult: true });
      },
    });
  }

  async #finish(end: AttemptEnd, taskWatch: TaskWatch): Promise<void> {
    const core = this.#core;
    const { worker, spender, watch, graceUsedMs, traceId } = this.#options;
    core.over();
    const journal = await core.journal.takeLast(journalPatienceMs);
    const answer = await finishAttempt({
      worker,
      spender,
      end: toldBy(worker.bootId, end),
      degraded: [...core.degraded],
      journal,
      graceUsedMs: graceUsedMs + watch.close().graceUsedMs,
    });
    const outcome = end.status === "completed" ? "completed" : end.cause;
    if (outcome === "completed") worker.governor.forgetTask(governedTask(spender));
    taskWatch.end(routeOutcome({ kind: "task", outcome }), { traceId });
    if (answer?.accepted === false) {
      const at = worker.clock.wallMs();
      worker.bus.emit({ type: "task.late_result", ...spender, traceId, at, status: answer.reason });
    }
  }
}

/** Which worker's breaker refused: each has its own, and only this one's words take it back (BR-18). */
function toldBy(bootId: string, end: AttemptEnd): AttemptEnd {
  if (end.status === "completed" || end.cause !== "breaker_open") return end;
  return { ...end, evidence: { ...end.evidence, bootId } };
}
