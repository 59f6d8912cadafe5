import type {
  AgentContext,
  AgentLog,
  BudgetView,
  ChildTask,
  LlmRequest,
  SpawnOptions,
  StepOptions,
} from "@bridle/agent";
import type { FromIsolate, ModelResponse, SpawnRequestInput } from "@bridle/protocol";

import { runStep } from "./run-step.ts";
import { runTool } from "./run-tool.ts";
import type { TaskSession } from "./task-session.ts";

type Level = Extract<FromIsolate, { type: "log" }>["level"];

/** Log fields beyond this are left out: a log line is no way to move data. */
const maxFieldsLength = 16_384;

/** `ctx` for one task. Every method is a request to the supervisor or a message to it; nothing here decides. */
export function createContext(session: TaskSession): AgentContext {
  const { task, input, clock } = session.options;
  const { runId, taskId, attempt, traceId } = task;
  return {
    input,
    trace: { runId, taskId, attempt, traceId },
    signal: session.signal,
    idempotencyKey: task.idempotencyKey,
    log: createLog(session),
    llm: async (model, request) => askModel(session, model, request),
    tool: async (name, args) => runTool(session, name, args),
    step: async <Result>(
      name: string,
      fn: () => Result | Promise<Result>,
      options?: StepOptions,
    ): Promise<Result> => runStep(session, { name, fn, repeatable: options?.repeatable ?? false }),
    heartbeat: ({ progress, step } = {}) =>
      session.beat({
        status: "RUNNING",
        step: step ?? 0,
        ...(progress === undefined ? {} : { progress: progress.slice(0, 256) }),
      }),
    waiting: (on, untilMs) =>
      session.beat({
        status: "WAITING",
        step: 0,
        waitingOn: on.slice(0, 128),
        waitMs: Math.max(0, Math.round(untilMs - clock.wallMs())),
      }),
    loopHint: () => session.takeHint(),
    budget: async () => (await session.requests.ask({ op: "budget" })) as BudgetView,
    spawn: async <Output>(agent: string, given?: unknown, options?: SpawnOptions) =>
      spawnTask<Output>(session, { agent, input: given ?? null, ...options }),
    // Whoever asks says what its agent returns.
    result: async <Output>(id: string) => (await awaitTask(session, id)) as Output,
  };
}

async function spawnTask<Output>(
  session: TaskSession,
  request: SpawnRequestInput,
): Promise<ChildTask<Output>> {
  const packed = session.pack(request);
  const answer = await session.requests.ask({ op: "spawn", request: packed });
  // The supervisor's own answer to this request.
  const { taskId } = answer as { readonly taskId: string };
  return { taskId, result: async () => (await awaitTask(session, taskId)) as Output };
}

async function awaitTask(session: TaskSession, taskId: string): Promise<unknown> {
  return session.requests.ask({ op: "await", taskId: taskId.slice(0, 128) });
}

async function askModel(
  session: TaskSession,
  model: string,
  request: LlmRequest,
): Promise<ModelResponse> {
  const { onDelta, ...rest } = request;
  const packed = session.pack({ model, ...rest });
  const answer = await session.requests.ask(
    { op: "llm", request: packed, deltas: onDelta !== undefined },
    onDelta,
  );
  return answer as ModelResponse;
}

function createLog(session: TaskSession): AgentLog {
  const { token, send } = session.options;
  const write =
    (level: Level) =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void => {
      const kept = crossing(fields);
      send({
        type: "log",
        token,
        level,
        message: message.slice(0, 8192),
        ...(kept === undefined ? {} : { fields: kept }),
      });
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

function crossing(
  fields: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> | undefined {
  if (fields === undefined) return undefined;
  try {
    const text = JSON.stringify(fields);
    return text.length > maxFieldsLength
      ? { omitted: `${text.length} characters of fields` }
      : (JSON.parse(text) as Record<string, unknown>);
  } catch {
    return { omitted: "fields without a JSON form" };
  }
}
