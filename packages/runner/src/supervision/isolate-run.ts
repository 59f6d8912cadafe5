/**
 * One task in one isolate: started, heard, served, ended.
 *
 * 1. A result that came before the kill wins over a verdict, not over a cancel; after the kill it is told as late (WD-14).
 * 2. When this is done no call of the task is in flight and each is settled (BU-12, BU-20).
 */
import type { CodedError } from "@bridle/kernel";
import type { IsolateRequest } from "@bridle/protocol";

import { deferred } from "../deferred.ts";
import type { Isolate } from "../isolates/isolate.ts";
import { failedBy, failedByAgent } from "../outcome/attempt-end.ts";
import type { AttemptEnd } from "../outcome/attempt-end.ts";
import { checkOutput } from "../outcome/check-output.ts";
import { describeCrash } from "../outcome/describe-crash.ts";
import type { AgentLine } from "../worker/worker-parts.ts";
import type { AttemptCore } from "./attempt-core.ts";
import type { AttemptScope, StopRequest } from "./attempt-scope.ts";
import { coded, faultOf } from "./coded.ts";
import { LineBudget } from "./line-budget.ts";
import { serveRequest } from "./serve-request.ts";
import { settleAll } from "./settle-all.ts";
import { stoppedEnd, stopIsolate } from "./stop-ladder.ts";
import { TaskChannel } from "./task-channel.ts";
import type { LastWord } from "./task-channel.ts";

/** Refusals remembered, so that the one an agent lets pass is known for what it was. */
const rememberedRefusals = 1000;
/** How long a finished isolate may take to say that it is clean. */
const restPatienceMs = 1000;

export class IsolateRun {
  readonly #core: AttemptCore;
  readonly #isolate: Isolate;
  readonly #scope: AttemptScope;
  readonly #channel: TaskChannel;
  readonly #lastWord = deferred<LastWord>();
  readonly #refusals = new Map<number, CodedError>();
  readonly #serving = new Set<Promise<unknown>>();
  readonly #lines: LineBudget;
  #wasStopped = false;

  constructor(core: AttemptCore, isolate: Isolate) {
    const { clock, ids, settings } = core.options.worker;
    this.#core = core;
    this.#isolate = isolate;
    this.#scope = core.scope(isolate.folder);
    this.#lines = new LineBudget({ lines: settings.logLines, bytes: settings.logBytes });
    const { spender } = core.options;
    this.#channel = new TaskChannel({
      isolate,
      token: ids.next("task"),
      clock,
      listener: {
        onRequest: async (id, request) => this.#serve(id, request),
        onBeat: (beat) => core.hearBeat(beat),
        onLog: ({ level, message, fields }) =>
          this.#line({ source: "log", level, message, fields }),
        onLine: (source, message) =>
          this.#line({ source, level: source === "stderr" ? "warn" : "info", message }),
        onLastWord: (word) => this.#lastWord.resolve(word),
        onLateWord: (status) =>
          core.write({ type: "task.late_result", ...spender, at: clock.wallMs(), status }),
        toFault: (error) => faultOf(coded(error, "internal")),
      },
    });
    core.onNudge((hint) => this.#channel.nudge(hint));
  }

  async run(): Promise<AttemptEnd> {
    this.#start();
    const stop = await Promise.race([
      this.#lastWord.promise.then(() => undefined),
      this.#core.stopped.promise,
    ]);
    this.#wasStopped = stop !== undefined;
    const end =
      stop === undefined ? this.#endOf(await this.#lastWord.promise) : await this.#stop(stop);
    this.#core.over();
    await settleAll(this.#scope, this.#serving);
    this.#tellOmitted();
    return end;
  }

  /** Whether the isolate may have another task: it ended this one by itself and rested clean. */
  async isClean(): Promise<boolean> {
    if (this.#wasStopped || this.#isolate.end !== undefined) return false;
    return this.#channel.rested(restPatienceMs);
  }

  #start(): void {
    const { spender, traceId, agent, envelope, watch, worker } = this.#core.options;
    const { isolation, pid, groupId } = this.#isolate;
    watch.setPid(groupId);
    this.#core.write({
      type: "task.started",
      ...spender,
      traceId,
      at: worker.clock.wallMs(),
      agent: agent.name,
      isolation,
      ...(pid === undefined ? {} : { pid }),
    });
    watch.beat({ status: "RUNNING", step: 0 });
    const idempotencyKey = `${spender.runId}/${spender.taskId}`;
    const input = JSON.stringify(envelope.input ?? null);
    this.#channel.start({ ...spender, traceId, idempotencyKey }, input);
  }

  async #stop(stop: StopRequest): Promise<AttemptEnd> {
    const { end, timeToStopMs, leftPids } = await stopIsolate({
      core: this.#core,
      isolate: this.#isolate,
      channel: this.#channel,
      lastWord: this.#lastWord.promise,
      stop,
      read: (word) => this.#wordInGrace(stop, word),
    });
    return end ?? stoppedEnd(stop, timeToStopMs, leftPids);
  }

  /** WD-14. */
  #wordInGrace(stop: StopRequest, word: LastWord | undefined): AttemptEnd | undefined {
    if (word?.kind !== "result") return undefined;
    if (stop.acceptsResult) return this.#endOf(word);
    const { spender, worker } = this.#core.options;
    const at = worker.clock.wallMs();
    this.#core.write({ type: "task.late_result", ...spender, at, status: "result" });
    return undefined;
  }

  #endOf(word: LastWord): AttemptEnd {
    if (word.kind === "ended") return failedBy(describeCrash(word.end));
    if (word.kind === "failed") {
      const { fault } = word;
      const known = fault.from === undefined ? undefined : this.#refusals.get(fault.from);
      return failedByAgent(fault, known);
    }
    const { folder } = this.#isolate;
    const maxBytes = this.#core.options.worker.settings.outputBytes;
    return checkOutput(word.output, { folder, maxBytes });
  }

  async #serve(id: number, request: IsolateRequest): Promise<string> {
    const serving = serveRequest(this.#scope, request, (text) => this.#channel.delta(id, text));
    this.#serving.add(serving);
    try {
      return await serving;
    } catch (error) {
      this.#remember(id, coded(error, "internal"));
      throw error;
    } finally {
      this.#serving.delete(serving);
    }
  }

  #remember(id: number, error: CodedError): void {
    this.#refusals.set(id, error);
    if (this.#refusals.size <= rememberedRefusals) return;
    for (const oldest of this.#refusals.keys()) {
      this.#refusals.delete(oldest);
      return;
    }
  }

  #line(line: Pick<AgentLine, "source" | "level" | "message" | "fields">): void {
    if (this.#lines.admits(line.message)) this.#emitLine(line);
  }

  #tellOmitted(): void {
    const { omitted } = this.#lines;
    if (omitted === 0) return;
    const message = `${omitted} more lines were left out: a task may log so much and no more.`;
    this.#emitLine({ source: "log", level: "warn", message });
  }

  #emitLine(line: Pick<AgentLine, "source" | "level" | "message" | "fields">): void {
    const { worker, spender, agent, traceId } = this.#core.options;
    worker.onLine({ ...line, ...spender, agent: agent.name, traceId });
  }
}
