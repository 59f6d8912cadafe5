import { createClient } from "@bridle/client";
import { systemClock, systemRandom } from "@bridle/kernel/system";
import type { RunView } from "@bridle/protocol";

/** Submits a workflow of one task, follows it, and hands back how it stands at its end. */
export async function greet(url: string, apiKey: string): Promise<RunView> {
  const client = createClient({ url, apiKey, fetch, clock: systemClock, random: systemRandom });
  const spec = {
    name: "greet",
    tasks: [{ id: "greet", agent: "hello", input: { name: "${{ input.name }}" } }],
    output: "${{ tasks.greet.output }}",
  };
  const { runId } = await client.submit(spec, { name: "Ada" });
  for await (const { event, data } of client.follow(runId)) console.log(event, data["taskId"]);
  return client.get(runId);
}
