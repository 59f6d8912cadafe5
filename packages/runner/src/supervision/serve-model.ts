import type { ModelCallEvent, WireAdmission, WireEnd } from "@bridle/ports";
import { bridleError, modelRequestSchema } from "@bridle/protocol";
import type { ModelRequest } from "@bridle/protocol";

import { callEndOf } from "../admission/call-end.ts";
import { isAmount } from "../admission/sound-amounts.ts";
import { climbLadder } from "../ladder/climb-ladder.ts";
import type { LadderAnswer, LadderStep } from "../ladder/climb-ladder.ts";
import type { AttemptScope } from "./attempt-scope.ts";
import type { CallEnding } from "./call-timeouts.ts";
import { coded } from "./coded.ts";
import { pastBreaker } from "./past-breaker.ts";
import { stepOutcomeOf } from "./step-book.ts";
import type { Step } from "./step-book.ts";
import { TextBatcher } from "./text-batcher.ts";
import { traceparent } from "./traceparent.ts";

/** A model round: one step, however often the call layer tries. Answers with the response as JSON text. */
export async function serveModel(
  scope: AttemptScope,
  requestText: string,
  onDelta: ((text: string) => void) | undefined,
): Promise<string> {
  const request = parseRequest(requestText);
  const heard = scope.loops.answers;
  const step = scope.steps.begin("llm", request.model);
  const spent = { nanoUsd: 0 };
  const deltas = batcherFor(scope, step, onDelta);
  try {
    const push = (text: string): void => deltas.push(text);
    const targets = { failed: new Map<string, number>(), without: new Set<string>() };
    const made = { step, request, spent, targets, onDelta: push, once: { told: undefined } };
    const result = await answerOrWait(scope, made);
    if (result.response.cached === true) deltas.push(result.response.text);
    deltas.flush();
    scope.loops.said(step.number, { request, text: result.response.text, heard });
    return finished(scope, { step, result, nanoUsd: spent.nanoUsd });
  } catch (error) {
    const failure = coded(error, "model_failed");
    const { code } = failure;
    scope.steps.finish(step, { outcome: stepOutcomeOf(code), code, nanoUsd: spent.nanoUsd });
    throw failure;
  } finally {
    deltas.close();
    scope.clocks.end(step.number);
  }
}

/** A task that a simpler flow may replace does not wait for a breaker: that rung comes before (BR-17). */
async function answerOrWait(scope: AttemptScope, made: ModelStep): Promise<LadderAnswer> {
  if (scope.envelope.hasSimplerFlow === true) return answer(scope, made);
  const waiting = { number: made.step.number, model: made.request.model, ...made.targets };
  return pastBreaker(scope, waiting, async () => answer(scope, made));
}

interface ModelStep {
  readonly step: Step;
  readonly request: ModelRequest;
  readonly spent: { nanoUsd: number };
  readonly once: LadderStep["once"];
  /** Those that failed this step, with the instant before which they want no call, and those not asked again (BR-17, L11). */
  readonly targets: { readonly failed: Map<string, number>; readonly without: Set<string> };
  readonly onDelta: (text: string) => void;
}

/** The call, or what the ladder puts in its place. */
async function answer(scope: AttemptScope, made: ModelStep): Promise<LadderAnswer> {
  const { worker, envelope, spender, traceId, journal, signal } = scope;
  const { step, request } = made;
  const { allowModelFallback, onTrip = "nothing", tenant, priority } = envelope;
  const base = () => ({ ...spender, traceId, at: worker.clock.wallMs(), step: step.number });
  return climbLadder({
    request,
    plan: worker.models.plan(request.model),
    onTrip,
    allowModelFallback,
    tenant,
    cache: worker.answers,
    memory: scope.ladder,
    once: made.once,
    nowMs: () => worker.clock.monotonicMs(),
    signal,
    call: async (model, isLadder) =>
      worker.models.call({
        request: { ...request, model },
        admission: wireAdmission(scope, { ...made, isLadder }),
        priority,
        allowModelFallback,
        without: made.targets.without,
        onDelta: made.onDelta,
        onEvent: (event) => {
          noteFailure(event, made.targets.failed, worker.clock.monotonicMs());
          hear(scope, step, event);
        },
        signal,
        deadlineMs: scope.deadlineMs(),
        traceparent: traceparent(traceId, step.number),
      }),
    onRung: (told) => journal({ type: "task.degraded", ...base(), ...told }),
    onCached: (told) => journal({ type: "llm.cached", ...base(), ...told }),
  });
}

function finished(
  scope: AttemptScope,
  { step, result, nanoUsd }: { step: Step; result: LadderAnswer; nanoUsd: number },
): string {
  const { servedBy, inputTokens, outputTokens } = result.response;
  for (const what of result.degraded) scope.degrade(what);
  scope.steps.finish(step, {
    outcome: "success",
    model: servedBy,
    inputTokens,
    outputTokens,
    nanoUsd,
    degraded: result.degraded.length === 0 ? undefined : [...result.degraded],
  });
  return JSON.stringify(result.response);
}

function parseRequest(text: string): ModelRequest {
  const parsed = modelRequestSchema.safeParse(JSON.parse(text));
  if (parsed.success && hasOnePrompt(parsed.data)) return parsed.data;
  const reason = parsed.success
    ? "it needs either a prompt or messages"
    : parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
  throw bridleError("request_invalid", { message: `ctx.llm was called wrongly: ${reason}.` });
}

function hasOnePrompt({ prompt, messages }: ModelRequest): boolean {
  return (prompt === undefined) !== (messages === undefined);
}

/** The gate of this step, as the call layer sees it: each wire call passes it, and has the step's clock while it is out. */
function wireAdmission(
  scope: AttemptScope,
  { step, spent, isLadder }: Pick<ModelStep, "step" | "spent"> & { readonly isLadder: boolean },
): WireAdmission {
  const { admission, clocks, envelope, worker } = scope;
  const learn = (
    { target, ...sample }: { target: string; estimate: number; reserved: number },
    { basis, actual }: WireEnd,
  ): void => {
    // Only what the provider counted teaches anything (BU-14).
    if (basis !== "usage" || !isAmount(actual.tokens)) return;
    worker.factors.settled(envelope.agent, target, { ...sample, actual: actual.tokens });
  };
  return {
    admit: async ({ target, estimate, reserve, promptTokens }) => {
      const call = await admission.admit({
        step: step.number,
        keys: [...agentKeys(scope), `provider:${target}`],
        estimate: { ...estimate, calls: 1 },
        reserve,
        factor: worker.settings.budgetFactor ?? worker.factors.of(envelope.agent, target),
        isGoverned: true,
        isLadder,
        onWaiting: (atMostMs, on) => clocks.pause(step.number, on, atMostMs),
        onWaited: () => clocks.resume(step.number),
      });
      clocks.start(
        step.number,
        "llm",
        worker.timeouts.ofPrompt(target, envelope.stepMs, promptTokens),
      );
      return {
        end: async (end) => {
          const silentMs = clocks.end(step.number);
          worker.timeouts.ended({ kind: "llm", key: target }, silentMs, endingOf(end));
          if (!call.hasEnded) {
            if (isAmount(end.actual.nanoUsd)) spent.nanoUsd += end.actual.nanoUsd;
            learn({ target, estimate: estimate.tokens, reserved: call.reserved.tokens }, end);
          }
          await call.end(callEndOf(end));
        },
      };
    },
  };
}

/** The call layer says `timeout` of what its own clock ended and of what ours did. */
function endingOf({ outcome, class: failureClass }: WireEnd): CallEnding {
  if (outcome === "success") return "completed";
  return failureClass === "timeout" ? "timed_out" : "left";
}

/** The chain's burning and the agent in this workflow (BR-13); umbrellas are the breakers' own business. */
export function agentKeys({ spender, envelope }: AttemptScope): readonly string[] {
  return [`chain:${spender.runId}`, agentKey(envelope)];
}

export function agentKey({ workflow, agent }: AttemptScope["envelope"]): string {
  return `agent:${workflow}/${agent}`;
}

function noteFailure(event: ModelCallEvent, failed: Map<string, number>, nowMs: number): void {
  if (event.type !== "attempt" || event.outcome !== "failure") return;
  failed.set(event.target, nowMs + (event.retryAfterMs ?? 0));
}

function hear(scope: AttemptScope, step: Step, event: ModelCallEvent): void {
  const { spender, clocks, journal, traceId } = scope;
  const base = { ...spender, traceId, at: scope.worker.clock.wallMs(), step: step.number };
  switch (event.type) {
    case "attempt": {
      const { target, wireCall, outcome, status } = event;
      const seen = {
        ...(event.class === undefined ? {} : { class: event.class }),
        ...(status === undefined ? {} : { status }),
      };
      journal({ type: "llm.attempt", ...base, target, wireCall, outcome, ...seen });
      break;
    }
    case "decision": {
      const delayMs = Math.max(0, Math.ceil(event.delayMs));
      const { action, class: failureClass } = event;
      journal({ type: "llm.decision", ...base, action, class: failureClass, delayMs });
      if (delayMs > 0) clocks.pause(step.number, "retry", delayMs);
      break;
    }
    case "unsound_usage": {
      const { field, value } = event;
      journal({ type: "budget.usage_unsound", ...base, dimension: "tokens", field, value });
      break;
    }
    case "sending":
      clocks.resume(step.number);
      break;
    case "progress":
      clocks.progress(step.number);
      break;
    case "activity":
  }
}

function batcherFor(
  { worker, spender, traceId }: AttemptScope,
  step: Step,
  onDelta: ((text: string) => void) | undefined,
): TextBatcher {
  return new TextBatcher(worker.clock, (text) => {
    onDelta?.(text);
    const at = worker.clock.wallMs();
    worker.bus.emit({ type: "llm.delta", ...spender, traceId, at, step: step.number, text });
  });
}
