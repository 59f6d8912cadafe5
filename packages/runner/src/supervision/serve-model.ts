import type { ModelCallEvent, ModelCallResult, WireAdmission, WireEnd } from "@bridle/ports";
import { bridleError, modelRequestSchema } from "@bridle/protocol";
import type { ModelRequest } from "@bridle/protocol";

import { callEndOf } from "../admission/call-end.ts";
import type { AttemptScope } from "./attempt-scope.ts";
import type { CallEnding } from "./call-timeouts.ts";
import { coded } from "./coded.ts";
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
  const step = scope.steps.begin("llm", request.model);
  const spent = { nanoUsd: 0 };
  const deltas = batcherFor(scope, step, onDelta);
  const heard = scope.loops.answers;
  try {
    const result = await scope.worker.models.call({
      request,
      admission: wireAdmission(scope, step, spent),
      priority: scope.envelope.priority,
      allowModelFallback: scope.envelope.allowModelFallback,
      onDelta: (text) => deltas.push(text),
      onEvent: (event) => hear(scope, step, event),
      signal: scope.signal,
    scope.loops.said(step.number, { request, text: result.response.text, heard });
      deadlineMs: scope.deadlineMs(),
      traceparent: traceparent(scope.traceId, step.number),
    });
    deltas.flush();
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

function finished(
  scope: AttemptScope,
  { step, result, nanoUsd }: { step: Step; result: ModelCallResult; nanoUsd: number },
): string {
  const { servedBy, inputTokens, outputTokens } = result.response;
  for (const what of result.degraded) scope.degrade(what);
  scope.steps.finish(step, {
    outcome: "success",
    model: servedBy,
    inputTokens,
    outputTokens,
    nanoUsd,
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
function wireAdmission(scope: AttemptScope, step: Step, spent: { nanoUsd: number }): WireAdmission {
  const { admission, clocks, envelope, worker } = scope;
  const learn = (
    { target, ...sample }: { target: string; estimate: number; reserved: number },
    { basis, actual }: WireEnd,
  ): void => {
    // Only what the provider counted teaches anything (BU-14).
    if (basis !== "usage") return;
    worker.factors.settled(envelope.agent, target, { ...sample, actual: actual.tokens });
  };
  return {
    admit: async ({ target, estimate }) => {
      const call = await admission.admit({
        step: step.number,
        keys: [...agentKeys(scope), `provider:${target}`],
        estimate: { ...estimate, calls: 1 },
        factor: worker.settings.budgetFactor ?? worker.factors.of(envelope.agent, target),
        isGoverned: true,
        onWaiting: (atMostMs) => clocks.pause(step.number, "budget", atMostMs),
        onWaited: () => clocks.resume(),
      });
      clocks.start(step.number, "llm", worker.timeouts.of("llm", target, envelope.stepMs));
      return {
        end: async (end) => {
          const silentMs = clocks.end(step.number);
          worker.timeouts.ended({ kind: "llm", key: target }, silentMs, endingOf(end));
          if (!call.hasEnded) {
            spent.nanoUsd += end.actual.nanoUsd;
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
    case "sending":
      clocks.resume();
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
