import type { AnyTool } from "@bridle/agent";
import type { ToolOutcome } from "@bridle/breaker";
import type { CodedError } from "@bridle/kernel";
import { bridleError, secretMask } from "@bridle/protocol";

import type { OpenCall } from "../admission/open-call.ts";
import { statusOf } from "../child/fault.ts";
import { callTool } from "../child/run-tool.ts";
import { toJsonText } from "../child/to-json-text.ts";
import type { AttemptScope } from "./attempt-scope.ts";
import { coded } from "./coded.ts";
import { beginJournalled, markNotStarted, saveJournalled } from "./journalled-step.ts";
import type { BegunStep } from "./journalled-step.ts";
import { maskError, maskJson } from "./mask-secrets.ts";
import { toolCost, toolEnd } from "./open-tools.ts";
import type { OpenTool } from "./open-tools.ts";
import { agentKeys } from "./serve-model.ts";
import { stepOutcomeOf } from "./step-book.ts";
import type { Step } from "./step-book.ts";
import { toolOutcomeOf } from "./tool-outcome.ts";
import type { ToolEnding } from "./tool-outcome.ts";
import { untilAborted } from "./until-aborted.ts";

type Opened =
  | { readonly state: "done"; readonly result: string }
  | { readonly state: "go"; readonly open: OpenTool };

/** May this tool run in the isolate now? Answers JSON text of `Begun`. */
export async function beginTool(
  scope: AttemptScope,
  name: string,
  argsText: string,
): Promise<string> {
  const tool = findTool(scope, name, "isolate");
  const opened = await openTool(scope, tool, argsText);
  if (opened.state === "done") return `{"state":"done","result":${opened.result}}`;
  scope.tools.add(opened.open);
  const { number } = opened.open.step;
  return JSON.stringify({ state: "go", step: number, key: idempotencyKey(scope, opened.open) });
}

/** The isolate's tool has ended. Answers its result as JSON text, once that is stored. */
export async function endTool(
  scope: AttemptScope,
  step: number,
  ending: ToolEnding,
): Promise<string> {
  const open = scope.tools.take(step);
  if (open?.tool === undefined) {
    throw bridleError("frame_invalid", { message: `No tool call is open at step ${step}.` });
  }
  return closeTool(scope, open, ending);
}

/** A tool that runs here, because it has secrets or spends money. Answers its result as JSON text. */
export async function runSupervisorTool(
  scope: AttemptScope,
  name: string,
  argsText: string,
): Promise<string> {
  const tool = findTool(scope, name, "supervisor");
  const opened = await openTool(scope, tool, argsText);
  if (opened.state === "done") return opened.result;
  scope.tools.add(opened.open);
  let ending: ToolEnding;
  let failure: CodedError | undefined;
  try {
    ending = { kind: "result", text: await callHere(scope, opened.open, argsText) };
  } catch (error) {
    failure = coded(error, "tool_failed");
    const { code, message } = failure;
    ending = { kind: "error", code: originalCode(error) ?? code, message, status: statusOf(error) };
  }
  // Taken by the end of the attempt already, when that came first.
  const open = scope.tools.take(opened.open.step.number);
  const text = open === undefined ? "null" : await closeTool(scope, open, ending);
  if (failure !== undefined) throw failure;
  return text;
}

/** Ends everything still open because the attempt is being stopped. */
export async function closeOpenTools(scope: AttemptScope, reason: CodedError): Promise<void> {
  const ending: ToolEnding = { kind: "error", code: reason.code, message: reason.message };
  await Promise.all(
    scope.tools.takeAll().map(async (open) => {
      if (open.tool !== undefined) {
        const outcome = toolOutcomeOf(ending, open.tool, reason);
        endClock(scope, open.step, outcome);
        await open.call?.end(toolEnd(open.tool, outcome));
      }
      scope.steps.finish(open.step, { outcome: stepOutcomeOf(reason.code), code: reason.code });
    }),
  );
}

async function openTool(scope: AttemptScope, tool: AnyTool, argsText: string): Promise<Opened> {
  const step = scope.steps.begin("tool", tool.name);
  const key = scope.keys.tool(tool.name, argsText);
  try {
    scope.loops.before(step.number, tool, argsText);
    const begun = await beginKept(scope, tool, key);
    if (begun.state === "done") {
      scope.steps.finish(step, { outcome: "success", code: "journalled" });
      return begun;
    }
    const kept = tool.sideEffects ? begun.key : undefined;
    const call = await admitTool(scope, { tool, step, kept });
    const explicitMs = scope.envelope.stepMs ?? tool.timeoutMs;
    const timeout = scope.worker.timeouts.of("tool", tool.name, explicitMs);
    scope.clocks.start(step.number, "tool", timeout);
    return { state: "go", open: { step, call, tool, argsText, key: kept } };
  } catch (error) {
    const { code } = coded(error, "tool_failed");
    scope.steps.finish(step, { outcome: stepOutcomeOf(code), code });
    throw error;
  }
}

async function beginKept(scope: AttemptScope, tool: AnyTool, key: string): Promise<BegunStep> {
  if (!tool.sideEffects) return { state: "go", key };
  const { spender, worker } = scope;
  return beginJournalled({ journal: worker.store.steps, spender, key, repeatable: false });
}

interface Admitting {
  readonly tool: AnyTool;
  readonly step: Step;
  readonly kept: string | undefined;
}

async function admitTool(scope: AttemptScope, { tool, step, kept }: Admitting): Promise<OpenCall> {
  try {
    return await scope.admission.admit({
      step: step.number,
      keys: [`tool:${tool.name}`, ...agentKeys(scope)],
      estimate: toolCost(tool),
      // A declared cost is no estimate.
      factor: 1,
      isGoverned: false,
      isLadder: false,
      onWaiting: (atMostMs, on) => scope.clocks.pause(step.number, on, atMostMs),
      onWaited: () => scope.clocks.resume(step.number),
    });
  } catch (error) {
    if (kept !== undefined) await markNotStarted(scope.worker.store.steps, scope.spender, kept);
    throw error;
  }
}

async function closeTool(scope: AttemptScope, open: OpenTool, ending: ToolEnding): Promise<string> {
  const tool = mustTool(open);
  const stopped = scope.signal.aborted ? (scope.signal.reason as CodedError) : undefined;
  const outcome = toolOutcomeOf(ending, tool, stopped);
  endClock(scope, open.step, outcome);
  const { argsText = "null" } = open;
  if (stopped === undefined) scope.loops.called(open.step.number, { tool, argsText, ending });
  try {
    return await keepResult(scope, open, ending);
  } finally {
    await open.call?.end(toolEnd(tool, outcome));
    scope.steps.finish(open.step, {
      outcome: ending.kind === "result" ? "success" : stepOutcomeOf(ending.code),
      ...(ending.kind === "error" ? { code: ending.code } : {}),
      nanoUsd: toolCost(tool).nanoUsd,
    });
  }
}

/** A call that was in hand when another one's clock ran out has not timed out itself. */
function endClock({ clocks, worker }: AttemptScope, step: Step, outcome: ToolOutcome): void {
  const isDue = clocks.isDue(step.number);
  const silentMs = clocks.end(step.number);
  const ending = outcome === "success" ? "completed" : "left";
  const timedOut = outcome === "step_timeout" && isDue;
  worker.timeouts.ended({ kind: "tool", key: step.key }, silentMs, timedOut ? "timed_out" : ending);
}

async function keepResult(
  { worker, spender }: AttemptScope,
  { key }: OpenTool,
  ending: ToolEnding,
): Promise<string> {
  const { steps } = worker.store;
  if (ending.kind === "result") {
    if (key !== undefined) await saveJournalled(steps, spender, { key, result: ending.text });
    return ending.text;
  }
  if (key !== undefined && ending.code === "tool_arguments_invalid") {
    await markNotStarted(steps, spender, key);
  }
  return "null";
}

async function callHere(scope: AttemptScope, open: OpenTool, argsText: string): Promise<string> {
  const tool = mustTool(open);
  const secrets = await resolveSecrets(scope, tool);
  const mask = secretMask(Object.values(secrets));
  try {
    return maskJson(await callWith(scope, { open, argsText, secrets }), mask);
  } catch (error) {
    throw maskError(error, mask);
  }
}

async function resolveSecrets(
  { worker }: AttemptScope,
  tool: AnyTool,
): Promise<Readonly<Record<string, string>>> {
  const secrets: Record<string, string> = {};
  for (const [name, reference] of Object.entries(tool.secrets)) {
    // oxlint-disable-next-line no-await-in-loop -- a handful, mostly already known
    secrets[name] = await worker.resolveSecret(reference);
  }
  return secrets;
}

interface CallHere {
  readonly open: OpenTool;
  readonly argsText: string;
  readonly secrets: Readonly<Record<string, string>>;
}

async function callWith(
  scope: AttemptScope,
  { open, argsText, secrets }: CallHere,
): Promise<string> {
  const tool = mustTool(open);
  const { signal, worker } = scope;
  const running = callTool(tool, JSON.parse(argsText), {
    signal,
    idempotencyKey: idempotencyKey(scope, open),
    secrets,
  });
  const json = toJsonText(await untilAborted(running, signal));
  if (!json.ok) throw bridleError("tool_failed", { message: `"${tool.name}": ${json.reason}.` });
  if (json.text.length > worker.settings.outputBytes) {
    throw bridleError("tool_failed", {
      message: `"${tool.name}" answered with ${json.text.length} characters; the limit is ${worker.settings.outputBytes}.`,
      retryable: false,
    });
  }
  return json.text;
}

function findTool(scope: AttemptScope, name: string, runs: AnyTool["runs"]): AnyTool {
  const { tools } = scope.agent;
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (tool?.runs === runs) return tool;
  throw bridleError("tool_unknown", {
    message: `The agent "${scope.agent.name}" has no tool "${name}" that runs in the ${runs}.`,
  });
}

function mustTool({ tool, step }: OpenTool): AnyTool {
  if (tool === undefined) throw new Error(`Step ${step.number} is a ctx.step, not a tool call.`);
  return tool;
}

function idempotencyKey({ spender }: AttemptScope, { key, step }: OpenTool): string {
  return `${spender.runId}/${spender.taskId}/${key ?? `step-${step.number}`}`;
}

/** The code a tool's own error carried, before it became `tool_failed`. */
function originalCode(thrown: unknown): string | undefined {
  const { code } = (thrown instanceof Error ? thrown : {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : undefined;
}
