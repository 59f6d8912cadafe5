import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { bridleError, errorTable, runStatuses, terminalRunStatuses } from "@bridle/protocol";
import type { ErrorCode, RunView } from "@bridle/protocol";
import { afterEach, describe, expect, it } from "vitest";

import { exitCodeOfError, exitCodeOfRun, runProgram } from "../src/index.ts";
import { readInput } from "../src/read-input.ts";
import { reportError } from "../src/report-error.ts";
import { fakeIo } from "./fake-io.ts";
import type { FakeIo } from "./fake-io.ts";

const amounts = { tokens: "0", nanoUsd: "0", calls: "0" };
const stopBy = (guard: string): NonNullable<RunView["stop"]> =>
  ({
    reason: "x",
    guard,
    rule: "y",
    evidence: {},
    spent: amounts,
    reserved: amounts,
    limit: amounts,
    resumable: false,
    hint: "z",
  }) as NonNullable<RunView["stop"]>;

describe("the exit code of a run", () => {
  it.each([
    ["COMPLETED", undefined, 0],
    ["FAILED", undefined, 1],
    ["FAILED", "none", 1],
    ["FAILED", "scheduler", 1],
    ["FAILED", "watchdog", 3],
    ["FAILED", "breaker", 3],
    ["FAILED", "budget", 3],
    ["FAILED", "governor", 3],
    ["FAILED", "limits", 3],
    ["BUDGET_EXCEEDED", "budget", 3],
    ["PAUSED", "budget", 3],
    ["CANCELLED", "user", 4],
    ["TIMED_OUT", "scheduler", 6],
  ] as const)("[B182] of %s stopped by %s is %d", (status, guard, code) => {
    expect(exitCodeOfRun({ status, stop: guard && stopBy(guard) })).toBe(code);
  });

  it("[B182] is zero for a completed run only", () => {
    const zero = runStatuses.filter((status) => exitCodeOfRun({ status }) === 0);
    expect(zero).toEqual(["COMPLETED"]);
    expect(terminalRunStatuses).toContain("COMPLETED");
  });

  it("[B182] of every error is not zero, 5 for an unreachable server and 2 for a caller's mistake", () => {
    const codes = Object.fromEntries(
      (Object.keys(errorTable) as ErrorCode[]).map((code) => [
        code,
        exitCodeOfError(bridleError(code)),
      ]),
    );
    expect(Object.values(codes)).not.toContain(0);
    expect(codes).toMatchObject({
      server_unreachable: 5,
      spec_invalid: 2,
      run_not_found: 2,
      unauthorized: 2,
      config_invalid: 2,
      store_unavailable: 1,
      port_in_use: 1,
      internal: 1,
      run_already_ended: 1,
    });
    expect(exitCodeOfError(new Error("x"))).toBe(1);
  });
});

describe("the input of a run", () => {
  const io = fakeIo({ files: { "in.yaml": "topic: bridles\ndepth: 2\n", "list.json": "[1]" } });

  it("is made of pairs, files and objects, the later over the earlier", async () => {
    const input = await readInput(
      ["@in.yaml", "depth=3", '{"tags":["a"]}', "name=Ada Lovelace", "url=http://x/?a=b"],
      io,
    );
    expect(input).toEqual({
      topic: "bridles",
      depth: 3,
      tags: ["a"],
      name: "Ada Lovelace",
      url: "http://x/?a=b",
    });
  });

  it.each(["topic", "{", "@list.json", "@nowhere.json", "=x"])("cannot be %s", async (value) => {
    await expect(readInput([value], io)).rejects.toMatchObject({ status: 400 });
  });

  it("[B196] does not reach a prototype", async () => {
    const input = await readInput(["__proto__=1"], io);
    expect(Object.keys(input)).toEqual(["__proto__"]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe("the command line", () => {
  it.each([
    [["rnu"]],
    [["run"]],
    [["runs", "lst"]],
    [["run", "x.yaml", "--inptu", "a=b"]],
    [["runs", "list", "-o", "xml"]],
    [["runs", "list", "--limit", "0"]],
    [["runs", "list", "--status", "DONE"]],
    [["keys", "create", "--scope", "root"]],
    [["budget", "raise", "run_1", "--tokens", "0"]],
    [["budget", "raise", "run_1", "--usd", "-1"]],
  ])("[B182] exits with 2 for the mistake in %j, without a stack trace", async (argv) => {
    const io = fakeIo();
    expect(await runProgram(argv, io)).toBe(2);
    expect(io.errText).not.toMatch(/\n\s+at /);
    expect(io.errText).not.toBe("");
  });

  it("asks what was meant by a command", async () => {
    const io = fakeIo();
    await runProgram(["rnus"], io);
    expect(io.errText).toContain("Did you mean runs?");
  });

  it.each([[["--help"]], [["run", "--help"]], [["--version"]]])(
    "exits with 0 for %j",
    async (argv) => {
      const io = fakeIo();
      expect(await runProgram(argv, io)).toBe(0);
      expect(io.outText).not.toBe("");
    },
  );

  it.each([
    [["runs", "get", "run_1"], {}],
    [["run", "wf.yaml"], { "wf.yaml": "name: x" }],
  ])(
    "[B182] exits with 5 when no server answers %j, and says how to start one",
    async (argv, files) => {
      const io = fakeIo({ files });
      expect(await runProgram(argv, io)).toBe(5);
      expect(io.errText).toContain("http://127.0.0.1:7070");
      expect(io.errText).toContain("bridle dev");
    },
  );

  it("[B182] gives the same verdict as JSON", async () => {
    const io = fakeIo();
    expect(await runProgram(["runs", "get", "run_1", "-o", "json"], io)).toBe(5);
    expect(JSON.parse(io.outText)).toMatchObject({
      error: { code: "server_unreachable" },
      exitCode: 5,
    });
    expect(io.errText).toBe("");
  });

  it("names the line of a workflow that is no YAML", async () => {
    const io = fakeIo({ files: { "wf.yaml": "name: x\ntasks: [" } });
    expect(await runProgram(["run", "wf.yaml"], io)).toBe(2);
    expect(io.errText).toMatch(/wf\.yaml is not valid YAML.*line 2/);
  });

  it("asks what was meant by a workflow's wrong word once, not twice", () => {
    const io = fakeIo();
    const fault = { pointer: "/tasks/0/agent", code: "unknown_agent", suggestion: "planner" };
    const issues = [{ ...fault, message: 'No agent "plannr" is configured.' }];
    reportError(bridleError("spec_invalid", { details: { issues } }), io, "text");
    expect(io.errText.trim().split("\n").at(-1)).toBe(
      '  /tasks/0/agent: No agent "plannr" is configured. Did you mean "planner"?',
    );
  });

  it("says the code of an error, which the troubleshooting table goes by", async () => {
    const io = fakeIo();
    expect(await runProgram(["run", "nofile.yaml"], io)).toBe(2);
    expect(io.errText).toMatch(/^error \[request_invalid\] nofile\.yaml cannot be read/);
  });

  it.each(["brd_key\n", " brd_key "])(
    "sends a key without the blanks a file left on it",
    async (key) => {
      const keys: unknown[] = [];
      const io = fakeIo({
        env: { BRIDLE_API_KEY: key },
        fetch: async (_url, init) => {
          keys.push(new Headers(init?.headers).get("authorization"));
          return new Response(JSON.stringify({ runs: [] }));
        },
      });
      expect(await runProgram(["runs", "list"], io)).toBe(0);
      expect(keys).toEqual(["Bearer brd_key"]);
    },
  );

  it("does not take something else for a server's URL", async () => {
    const io = fakeIo();
    expect(await runProgram(["runs", "list", "--url", "ftp://x"], io)).toBe(2);
  });
});

describe("the keys commands", () => {
  let dataDir: string | undefined;
  afterEach(async () => dataDir && rm(dataDir, { recursive: true, force: true }));

  it("[B199] show a key once, list it without its secret and revoke it", async () => {
    dataDir = await mkdtemp(join(tmpdir(), "bridle-keys-"));
    const run = async (...argv: string[]): Promise<FakeIo> => {
      const io = fakeIo({ env: { BRIDLE_DATA_DIR: dataDir } });
      expect(await runProgram(["keys", ...argv], io)).toBe(0);
      return io;
    };
    const created = JSON.parse((await run("create", "--scope", "read", "-o", "json")).outText) as {
      id: string;
      key: string;
      scopes: string[];
    };
    const listed = await run("list");
    await run("revoke", created.id);
    const after = await run("list");

    expect(created.scopes).toEqual(["read"]);
    expect(listed.outText).toContain(created.id);
    expect(listed.outText).not.toContain(created.key);
    expect(after.outText).toContain("revoked");
  });

  it("exit with 2 for a key that is not there", async () => {
    const io = fakeIo();
    expect(await runProgram(["keys", "revoke", "nope"], io)).toBe(2);
  });
});
