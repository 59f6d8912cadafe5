import { compileWorkflow, decide, evolve, initialRun } from "@bridle/dag";
import type { RunEvent } from "@bridle/protocol";

export function example(submitted: RunEvent): readonly string[] {
  const compiled = compileWorkflow({
    name: "greet",
    tasks: [
      { id: "plan", agent: "planner" },
      { id: "write", agent: "writer", needs: ["plan"], input: "${{ tasks.plan.output }}" },
    ],
  });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  let run = evolve(initialRun(compiled.workflow), submitted);
  const { events, commands } = decide(run, { type: "start" }, 1_700_000_000_000);
  for (const event of events) run = evolve(run, event);
  return commands.map((command) => command.type);
}
