import { endCauseNames, endCauses, failureClasses } from "@bridle/protocol";
import { expect, it } from "vitest";

import { routeOutcome, toolOutcomeOfStatus } from "../src/index.ts";
import type { CallOutcome, ModelOutcome, ToolOutcome } from "../src/index.ts";
import { bench } from "./support.ts";

type Blamed = "tool" | "agent" | "provider" | "nobody";

function blamed(call: CallOutcome): Blamed {
  const { tool, agent, provider } = routeOutcome(call);
  const verdicts = { tool, agent, provider };
  const failing = (["tool", "agent", "provider"] as const).filter(
    (tier) => verdicts[tier] === "failure",
  );
  expect(failing.length).toBeLessThanOrEqual(1);
  expect(Object.values(verdicts)).not.toContain("success");
  return failing[0] ?? "nobody";
}

const toolTable: readonly (readonly [ToolOutcome, Blamed])[] = [
  ["server_error", "tool"],
  ["network", "tool"],
  ["step_timeout", "tool"],
  ["threw", "tool"],
  ["arguments_invalid", "agent"],
  ["client_error", "nobody"],
  ["caller_fault", "nobody"],
  ["cancelled", "nobody"],
];

it.each(toolTable)("[BR-14] a tool's %s is a failure of: %s", (outcome, expected) => {
  expect(blamed({ kind: "tool", outcome })).toBe(expected);
});

const modelTable: readonly (readonly [ModelOutcome, Blamed])[] = [
  ["server_error", "provider"],
  ["overloaded", "provider"],
  ["network", "provider"],
  ["timeout", "provider"],
  ["malformed", "provider"],
  ["misconfigured", "provider"],
  ["rate_limit", "nobody"],
  ["auth", "nobody"],
  ["billing", "nobody"],
  ["bad_request", "agent"],
  ["context_overflow", "agent"],
  ["malformed_tool_calls", "agent"],
  ["unknown", "agent"],
  ["model_not_found", "nobody"],
  ["refusal", "nobody"],
  ["aborted", "nobody"],
];

it.each(modelTable)("[BR-14] a model's %s is a failure of: %s", (outcome, expected) => {
  expect(blamed({ kind: "model", outcome })).toBe(expected);
});

it("[BR-14] the table of models names every failure class", () => {
  const named = modelTable.map(([outcome]) => outcome);
  expect(named.toSorted()).toEqual([...failureClasses, "malformed_tool_calls"].toSorted());
});

it.each(["task_timeout", "stalled", "loop", "wait_cycle", "limit"] as const)(
  "[BR-14] a task that ends by %s is a failure of its agent",
  (outcome) => {
    expect(blamed({ kind: "task", outcome })).toBe("agent");
  },
);

it("[BR-14] no other end of a task is anybody's failure", () => {
  const others = endCauseNames.filter((cause) => endCauses[cause].breakerTick === "none");
  expect(new Set(others.map((outcome) => blamed({ kind: "task", outcome })))).toEqual(
    new Set(["nobody"]),
  );
  expect(others).toContain("cancelled");
});

it("[BR-14] guard refusals and cache hits say nothing", () => {
  expect(blamed({ kind: "not_sent" })).toBe("nobody");
});

it("[BR-14] a success is one for everyone who took part", () => {
  for (const kind of ["tool", "model"] as const) {
    expect(routeOutcome({ kind, outcome: "success" })).toEqual({
      tool: "success",
      agent: "success",
      provider: "success",
    });
  }
  expect(routeOutcome({ kind: "task", outcome: "completed" }).agent).toBe("success");
});

it('[BR-14] [B089] "unsupported parameter" in the body exempts a 400 and not a 500: only the status is read', () => {
  expect([400, 404, 422, 429].map(toolOutcomeOfStatus)).toEqual(Array(4).fill("client_error"));
  expect([500, 502, 503].map(toolOutcomeOfStatus)).toEqual(Array(3).fill("server_error"));
  expect(toolOutcomeOfStatus(204)).toBe("success");
});

it("[BR-14] one permit over three tiers blames only whom the table names", () => {
  const { admitted, view } = bench();
  const keys = ["tool:search", "agent:research/writer", "provider:anthropic/sonnet"];

  admitted(keys).end(routeOutcome({ kind: "model", outcome: "overloaded" }));
  admitted(keys).end(routeOutcome({ kind: "tool", outcome: "server_error" }));
  admitted(keys).end(routeOutcome({ kind: "model", outcome: "bad_request" }));
  admitted(keys).end(routeOutcome({ kind: "model", outcome: "rate_limit" }));

  expect(keys.map((key) => view(key).totals.failures)).toEqual([1, 1, 1]);
  expect(keys.map((key) => view(key).totals.successes)).toEqual([0, 0, 0]);
  expect(view("provider:anthropic").totals.failures).toBe(1);
});
