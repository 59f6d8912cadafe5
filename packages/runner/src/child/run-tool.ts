import { describeIssues } from "@bridle/agent";
import type { AnyTool, ToolDefinition } from "@bridle/agent";
import { CodedError } from "@bridle/kernel";

import { statusOf, toFault } from "./fault.ts";
import type { Begun } from "./run-step.ts";
import type { TaskSession } from "./task-session.ts";

/** Calls a tool of the agent: here, between the supervisor's begin and end, or in the supervisor. */
export async function runTool(session: TaskSession, name: string, args: unknown): Promise<unknown> {
  const tool = findTool(session, name);
  const packed = session.pack(args);
  if (tool.runs === "supervisor") {
    return session.requests.ask({ op: "tool.run", name, args: packed });
  }
  const begun = (await session.requests.ask({ op: "tool.begin", name, args: packed })) as Begun;
  if (begun.state === "done") return begun.result;
  const { step, key } = begun;
  try {
    const result = await callTool(tool, args, {
      signal: session.signal,
      idempotencyKey: key,
      secrets: {},
    });
    return await session.requests.ask({
      op: "tool.end",
      step,
      outcome: { result: session.pack(result) },
    });
  } catch (error) {
    const status = statusOf(error);
    await session.requests.ask({
      op: "tool.end",
      step,
      outcome: {
        error: toFault(error, "tool_failed"),
        ...(status === undefined ? {} : { status }),
      },
    });
    throw error;
  }
}

/** Validates the arguments and runs the tool. Throws `tool_arguments_invalid`, or what the tool throws. */
export async function callTool(
  tool: AnyTool,
  args: unknown,
  context: Parameters<ToolDefinition["run"]>[1],
): Promise<unknown> {
  // The registry forgot the tool's own argument type; its schema, when there is one, is what checks it.
  const run = tool.run as ToolDefinition["run"];
  const schema = tool.input;
  if (schema === undefined) return run(args, context);
  const result = await schema["~standard"].validate(args);
  if (result.issues === undefined) return run(result.value, context);
  throw new CodedError({
    code: "tool_arguments_invalid",
    message: `The arguments of "${tool.name}" do not match its schema: ${describeIssues(result.issues)}`,
    retryable: false,
    status: 422,
  });
}

function findTool(session: TaskSession, name: string): AnyTool {
  const { tools, name: agent } = session.options.agent;
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (tool !== undefined) return tool;
  throw new CodedError({
    code: "tool_unknown",
    message: `The agent "${agent}" has no tool "${name}"; it has: ${Object.keys(tools).join(", ") || "none"}.`,
    retryable: false,
    status: 422,
  });
}
