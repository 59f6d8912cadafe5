import type { AnyAgent, AnyTool } from "@bridle/agent";
import type { LogEntry } from "@bridle/protocol";

import { answerAtOnce } from "../../../packages/runner/test/rig.ts";
import { createVirtualRig } from "../../../packages/runner/test/virtual-rig.ts";
import type { VirtualRig } from "../../../packages/runner/test/virtual-rig.ts";
import type { Told } from "../play-trace.ts";
import type { Trace, TraceStep } from "../trace.ts";
import type { Recorded } from "./recorded-agents.ts";

/** Of those that do not end by themselves: long enough for any verdict. */
const mostSteps = 60;

export interface Recording {
  readonly trace: Trace;
  /** What the runner's watchdog said meanwhile. */
  readonly told: readonly Told[];
}

/**
 * Runs an agent of the cast under the runner, in virtual time, with a watchdog that only warns, and writes down its calls and what
 * the model said. Loops are cut off after sixty steps.
 */
export async function recordAgent(recorded: Recorded): Promise<Recording> {
  const { name, label, why, loopStartsAt, agent, input } = recorded;
  const steps: TraceStep[] = [];
  const keep = (step: TraceStep): void => {
    steps.push(step);
  };
  const isOver = (): boolean => label === "loop" && steps.length >= mostSteps;
  const rig = await createVirtualRig({
    agents: [inSight(agent, { keep, isOver })],
    settings: { watchdogMode: "warn", governorMode: "off" },
    breaker: { consecutiveFailures: 1000, minRequestVolume: 1000 },
    model: async (call) => {
      if (isOver()) throw recordingIsOver();
      const text = "I will now write the report.";
      keep({ kind: "text", text });
      return answerAtOnce(call, { text });
    },
  });
  try {
    const task = await rig.runToEnd({ agent: agent.name, input });
    const told = (await rig.log(task)).flatMap(toldBy);
    const trace = { name, label, why, loopStartsAt, ...declared(agent), steps };
    return { trace, told };
  } finally {
    await close(rig);
  }
}

/** With a code, as a guard's refusal: no failure of the tool that anyone would try again. */
function recordingIsOver(): Error {
  return Object.assign(new Error("The recording is over."), { code: "recording_over" });
}

interface Sight {
  readonly keep: (step: TraceStep) => void;
  readonly isOver: () => boolean;
}

/** The same agent in this process, with tools that are looked at. */
function inSight(agent: AnyAgent, sight: Sight): AnyAgent {
  const tools = Object.entries(agent.tools).map(([name, tool]) => [name, seen(tool, sight)]);
  return { ...agent, isolation: "inline", trusted: true, tools: Object.fromEntries(tools) };
}

function seen(tool: AnyTool, { keep, isOver }: Sight): AnyTool {
  // A registry has forgotten the argument types of its tools.
  const run = tool.run as (args: unknown, context: unknown) => unknown;
  return {
    ...tool,
    run: async (args: unknown, context: unknown) => {
      if (isOver()) throw recordingIsOver();
      const step = { kind: "tool", tool: tool.name, arguments: args } as const;
      try {
        const result = await run(args, context);
        keep({ ...step, result: JSON.stringify(result), isError: false });
        return result;
      } catch (error) {
        keep({ ...step, result: (error as Error).message, isError: true });
        throw error;
      }
    },
  };
}

function declared({ tools }: AnyAgent): Pick<Trace, "pollingTools" | "effectTools"> {
  const named = (which: (tool: AnyTool) => boolean): readonly string[] =>
    Object.values(tools).flatMap((tool) => (which(tool) ? [tool.name] : []));
  return {
    pollingTools: named(({ polling }) => polling),
    effectTools: named(({ sideEffects }) => sideEffects),
  };
}

/** Step n of the runner is the trace's index n - 1. */
function toldBy(event: LogEntry): readonly Told[] {
  if (event.type !== "would_loop") return [];
  const { step, reaction, pattern, count } = event;
  return [{ step: step - 1, reaction, pattern, count }];
}

async function close({ runner, clock, breakers }: VirtualRig): Promise<void> {
  const stopping = runner.stop(0);
  await clock.advanceAsync(30_000);
  await stopping;
  breakers.close();
}
