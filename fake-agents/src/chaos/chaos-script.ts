import type { FakeReply, FakeRequest } from "../fake-llm/index.ts";
import type { Scenario } from "./scenario.ts";

/** What the provider of these scenarios answers: each asks a model of its own name. */
export function chaosScript(
  scenarios: readonly Pick<Scenario, "name" | "reply">[],
): (request: FakeRequest) => FakeReply {
  const replies = new Map(scenarios.map(({ name, reply }) => [name, reply]));
  return (request) => replies.get(request.model)?.(request) ?? { type: "answer" };
}
