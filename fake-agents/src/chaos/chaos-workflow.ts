import { neighbour, neighbourSteps, villain } from "./scenario.ts";
import type { Place, Scenario } from "./scenario.ts";

/** The villain and, beside it in the same run, one that does its work. */
export function chaosWorkflow(scenario: Scenario, place: Place): unknown {
  return {
    name: `chaos-${scenario.name}`,
    onFailure: "continue",
    ...(place.guards === "off" ? (scenario.runOff ?? scenario.run) : scenario.run),
    tasks: [
      {
        id: villain,
        agent: scenario.agent.name,
        input: scenario.input(place),
        ...scenario.task,
      },
      {
        id: neighbour,
        agent: "works-long",
        input: { steps: neighbourSteps, stepMs: 100 },
      },
    ],
    output: {
      neighbour: "${{ tasks.neighbour.output }}",
      ...(scenario.ends.every(({ status }) => status === "COMPLETED")
        ? { villain: "${{ tasks.villain.output }}" }
        : {}),
    },
  };
}
