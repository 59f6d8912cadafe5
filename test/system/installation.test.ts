import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isTerminalRun } from "@bridle/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { until } from "../support/until.ts";
import { bridle, spawnBridle, startInstallation } from "./bridle-process.ts";
import type { Installation } from "./bridle-process.ts";

let folder: string;
let running: Installation;

const secret = "sk-system-test-4711";
const workflow = (agent: string, more: object = {}): object => ({
  name: agent,
  tasks: [{ id: "only", agent, input: { name: "${{ input.name }}" }, retry: { maxAttempts: 1 } }],
  output: "${{ tasks.only.output }}",
  ...more,
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bridle-system-"));
  running = await startInstallation(folder, { SYSTEM_TEST_KEY: secret });
  for (const agent of ["hello", "rude", "fails", "endless", "spy"]) {
    // oxlint-disable-next-line no-await-in-loop -- five small files
    await writeFile(join(folder, `${agent}.json`), JSON.stringify(workflow(agent)));
  }
});
afterAll(async () => {
  await running.stop();
  await rm(folder, { recursive: true, force: true });
});

const cli = (...args: string[]) => ({ cwd: folder, args: [...args, "--url", running.url] });

/** An answer whose body nobody reads keeps its connection. */
async function statusOf(path: string, init: RequestInit = {}): Promise<number> {
  const response = await fetch(`${running.url}${path}`, init);
  await response.body?.cancel();
  return response.status;
}

async function agentPid(runId: string): Promise<number> {
  for await (const { event, data } of running.client.follow(runId, { afterSeq: 0 })) {
    if (event === "task.started" && typeof data["pid"] === "number") return data["pid"];
  }
  throw new Error("The task never started.");
}

describe("the bridle binary against a running installation", () => {
  it("[S1] runs a workflow from a TypeScript configuration and prints its output alone on standard output", async () => {
    const { code, out, err } = await bridle(cli("run", "hello.json", "-i", "name=Ada"));

    expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: { hi: "Ada" } });
    expect(err).toContain("run.finished");
    expect(err).toContain("COMPLETED");
  });

  it("[B182] exits with 1 for a failed run, and gives the same verdict as JSON", async () => {
    const { code, out } = await bridle(cli("run", "fails.json", "-i", "name=x", "-o", "json"));

    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      status: "FAILED",
      stop: { guard: expect.any(String) },
    });
  });

  it("[B182] exits with 6 for a run that took too long", async () => {
    await writeFile(
      join(folder, "late.json"),
      JSON.stringify(workflow("endless", { timeout: { run: "1s" } })),
    );
    expect((await bridle(cli("run", "late.json", "-i", "name=x"))).code).toBe(6);
  });

  it("[B182] [S7] exits with 4 for a run that somebody else cancelled", async () => {
    const command = spawnBridle(cli("run", "endless.json", "-i", "name=x"));
    await until(() => command.err().includes("task.started"));
    const runId = /run_\w+/.exec(command.err())?.[0] ?? "";
    const cancel = await bridle(cli("runs", "cancel", runId, "--reason", "enough"));

    expect(cancel.code).toBe(0);
    expect(await command.exited).toBe(4);
    expect(await running.client.get(runId)).toMatchObject({ status: "CANCELLED" });
  });

  it("[B187] cancels its run on Ctrl-C, says so, exits with 130 and leaves no process", async () => {
    const command = spawnBridle(cli("run", "endless.json", "-i", "name=x"));
    await until(() => command.err().includes("task.started"));
    const runId = /run_\w+/.exec(command.err())?.[0] ?? "";
    const pid = await agentPid(runId);
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    command.child.kill("SIGINT");

    expect(await command.exited).toBe(130);
    expect(command.err()).toContain(`Cancelling ${runId}`);
    expect((await running.client.get(runId)).status).toBe("CANCELLED");
  });

  it("[B187] leaves a followed run alone on Ctrl-C and says that it goes on", async () => {
    const { runId } = await running.client.submit(workflow("endless"), { name: "x" });
    const command = spawnBridle(cli("runs", "follow", runId));
    await until(() => command.err().includes("task.started"));
    command.child.kill("SIGINT");

    expect(await command.exited).toBe(130);
    expect(command.err()).toContain("it goes on");
    expect(isTerminalRun((await running.client.get(runId)).status)).toBe(false);
    await running.client.cancel(runId);
  });

  it("[B200] prints what a model says without letting it drive the terminal", async () => {
    const { code, out } = await bridle(cli("run", "rude.json", "-i", "name=x"));

    expect(code).toBe(0);
    expect(out).not.toContain("\u001B");
    expect(out).not.toContain("\r");
    expect(out).toContain("done");
  });

  it("[X4] shows an agent's process neither a provider's key nor the store's address", async () => {
    const { output } = await finished(await submit("spy"));
    const { names, text } = output as { names: string[]; text: string };

    expect(names).toContain("PATH");
    expect(names.filter((name) => /KEY|STORE|TOKEN|DATABASE/.test(name))).toEqual([]);
    expect(text).not.toContain(secret);
  });

  it("[S9] answers a repeated submit with the run of the first", async () => {
    const submitted = await Promise.all(
      [1, 2, 3].map(async () =>
        running.client.submit(workflow("hello"), { name: "x" }, { idempotencyKey: "order-1" }),
      ),
    );
    expect(new Set(submitted.map(({ runId }) => runId)).size).toBe(1);
    await expect(
      running.client.submit(workflow("hello"), { name: "other" }, { idempotencyKey: "order-1" }),
    ).rejects.toMatchObject({ code: "idempotency_conflict" });
  });

  it("refuses expression bombs, stores nothing, and goes on serving meanwhile", async () => {
    const before = (await running.client.list({ limit: 200 })).runs.length;
    const deep = "(".repeat(1500) + "1" + ")".repeat(1500);
    const bombs = [
      `\${{ ${"1 + ".repeat(600)}1 }}`,
      `\${{ ${deep} }}`,
      "${{ input.name.matches('(a+)+$') }}",
      `\${{ '${"x".repeat(3000)}' }}`,
    ];
    const refused = await Promise.all(
      bombs.map(async (bomb) =>
        running.client.submit(workflow("hello", { output: bomb }), { name: "x" }).then(
          () => "accepted",
          (error: { code?: string }) => error.code,
        ),
      ),
    );

    expect(refused).toEqual(bombs.map(() => "spec_invalid"));
    expect((await running.client.list({ limit: 200 })).runs.length).toBe(before);
    expect((await finished(await submit("hello"))).status).toBe("COMPLETED");
  });

  it("[B191] refuses web pages: plain text, a rebound name, another origin, a token in the URL, no token", async () => {
    const key = { authorization: `Bearer ${running.token}` };
    const body = JSON.stringify({ spec: workflow("hello"), input: { name: "x" } });
    const json = { "content-type": "application/json" };
    const { runs } = await running.client.list({ limit: 200 });

    const answers = [
      await statusOf("/api/v1/runs", {
        method: "POST",
        body,
        headers: { ...key, "content-type": "text/plain" },
      }),
      await statusOf("/api/v1/runs", {
        method: "POST",
        body,
        headers: { ...key, ...json, origin: "https://evil.test" },
      }),
      await statusOf("/api/v1/runs", { method: "POST", body, headers: json }),
      await statusOf(`/api/v1/runs/run_1/stream?token=${running.token}`, {}),
    ];

    expect(answers).toEqual([415, 403, 401, 403]);
    expect((await running.client.list({ limit: 200 })).runs.length).toBe(runs.length);
  });

  it("[B178] is alive and ready, and has a description", async () => {
    const paths = ["/healthz", "/readyz", "/openapi.json"];
    const statuses = await Promise.all(paths.map(async (path) => statusOf(path)));
    expect(statuses).toEqual([200, 200, 200]);
  });

  it("lists agents, runs, events and budgets", async () => {
    const { runId } = await finished(await submit("hello"));
    const [agents, runs, events, budget] = await Promise.all([
      bridle(cli("agents", "-o", "json")),
      bridle(cli("runs", "list", "--workflow", "hello", "-o", "json")),
      bridle(cli("runs", "events", runId, "-o", "json")),
      bridle(cli("budget", "get", runId, "-o", "json")),
    ]);

    expect(
      (JSON.parse(agents.out) as { agents: { name: string }[] }).agents.map(({ name }) => name),
    ).toContain("hello");
    expect(runs.out).toContain(runId);
    const lines = events.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { seq: number; type: string });
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index + 1));
    expect(lines.at(-1)?.type).toBe("run.finished");
    expect(JSON.parse(budget.out)).toMatchObject({
      envelopes: [{ envelope: "run" }, { envelope: "only" }],
    });
  });
});

async function submit(agent: string): Promise<string> {
  return (await running.client.submit(workflow(agent), { name: "Ada" })).runId;
}

async function finished(runId: string) {
  for await (const { event } of running.client.follow(runId)) if (event === "run.finished") break;
  return running.client.get(runId);
}
