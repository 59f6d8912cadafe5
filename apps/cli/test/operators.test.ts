import { describe, expect, it } from "vitest";

import { runProgram } from "../src/index.ts";
import { fakeIo } from "./fake-io.ts";

const amounts = { tokens: "500", nanoUsd: "20000000", calls: "3" };
const none = { tokens: "0", nanoUsd: "0", calls: "0" };

/** A server that answers everything with the same, and what it was asked. */
function serverOf(answer: unknown) {
  const asked: { method: string; path: string; body: unknown }[] = [];
  const io = fakeIo({
    env: { BRIDLE_URL: "http://127.0.0.1:7070", BRIDLE_API_KEY: "brd_test" },
    fetch: async (url, init) => {
      const { pathname, search } = new URL(url instanceof Request ? url.url : url);
      const body = typeof init?.body === "string" ? (JSON.parse(init.body) as unknown) : undefined;
      asked.push({ method: init?.method ?? "GET", path: `${pathname}${search}`, body });
      return Response.json(answer);
    },
  });
  return { io, asked };
}

describe("[BR-12] [B9] a hand on a breaker from the terminal", () => {
  const key = "agent:demo/planner";

  it.each(["open", "close", "disable", "observe"])(
    "breakers %s says until when it holds",
    async (action) => {
      const forced = {
        state: "FORCED_OPEN",
        actor: "ann",
        reason: "down",
        until: 1_800_000_000_000,
      };
      const { io, asked } = serverOf({ key, forced });
      const args = ["breakers", action, key, "--reason", "down", "--for", "10m"];
      expect(await runProgram(args, io)).toBe(0);
      expect(asked).toEqual([
        {
          method: "POST",
          path: `/api/v1/breakers/agent%3Ademo%2Fplanner/${action}`,
          body: { reason: "down", for: "10m" },
        },
      ]);
      expect(io.errText).toBe(
        `${key} is FORCED_OPEN in every worker until 2027-01-15T08:00:00.000Z.\n`,
      );
    },
  );

  it("breakers reset tells that it starts afresh, and wants a reason like the others", async () => {
    const { io, asked } = serverOf({ key });
    expect(await runProgram(["breakers", "reset", key, "--reason", "fine again"], io)).toBe(0);
    expect(asked[0]?.body).toEqual({ reason: "fine again" });
    expect(io.errText).toContain("starts afresh");
    const hasty = serverOf({ key });
    expect(await runProgram(["breakers", "reset", key], hasty.io)).toBe(2);
    expect(hasty.asked).toEqual([]);
  });
});

it("[BB-1] top shows who was charged most in the last minute", async () => {
  const chain = {
    runId: "run_abc",
    charged: amounts,
    settled: amounts,
    reserved: none,
    limit: { ...amounts, nanoUsd: "5000000000" },
    delta: 1,
    slope: 1,
    msToLimit: 90_000,
  };
  const limit = { ...none, nanoUsd: "50000000000" };
  const day = { scope: "installation/day", resetsAt: 1, spent: amounts, given: amounts, limit };
  const board = {
    at: 1,
    windowMs: 60_000,
    total: amounts,
    chains: [chain],
    recent: [],
    days: [day],
  };
  const { io, asked } = serverOf(board);
  expect(await runProgram(["top", "--by", "tokens"], io)).toBe(0);
  expect(asked[0]?.path).toBe("/api/v1/burn?by=tokens");
  expect(io.outText).toMatch(/RUN +USD\/MIN +TOKENS\/MIN/);
  expect(io.outText).toMatch(/run_abc .*500.*90 s/);
  expect(io.outText).toMatch(/installation\/day .*\/\$?50/);
});
