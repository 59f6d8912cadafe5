import { CodedError } from "@bridle/kernel";
import { describe, expect, it } from "vitest";

import { toFault } from "../src/child/fault.ts";

function thrownWith(stack: string): Error {
  return Object.assign(new Error("no entry"), { stack });
}

const runner = new URL("..", import.meta.url);

describe("the stack of what an agent threw", () => {
  it.each([
    ["built code", `${new URL("dist/child/task-session.js", runner).href}:60:34`],
    ["mapped code", `${new URL("src/child/task-session.ts", runner).pathname}:60:34`],
  ])("ends above this package's frames: %s", (_name, place) => {
    const author = "Error: no entry\n    at run (/home/ada/agents.ts:15:56)";
    const fault = toFault(
      thrownWith(`${author}\n    at TaskSession.run (${place})\n    at node:internal/x`),
      "agent_failed",
    );
    expect(fault.stack).toBe(author);
  });

  it("control: a stack without our frames stays whole", () => {
    const stack = "Error: no entry\n    at run (/home/ada/agents.ts:15:56)";
    expect(toFault(thrownWith(stack), "agent_failed").stack).toBe(stack);
  });

  it("is left out when an output was refused: the agent threw nothing", () => {
    const refused = new CodedError({
      code: "output_invalid",
      message: "a function has no JSON form",
      retryable: true,
      status: 422,
    });
    expect(toFault(refused, "agent_failed")).toEqual({
      code: "output_invalid",
      message: "a function has no JSON form",
      retryable: true,
    });
  });
});
