import { asRunId, bridleError } from "@bridle/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { append, ask, finished, spec, startWorld, submitDemo } from "./support.ts";
import type { World } from "./support.ts";

let world: World;
beforeEach(() => void (world = startWorld()));
afterEach(async () => world.api.close());

const runs = async (): Promise<number> =>
  (await world.store.index.list({ limit: 100 })).runs.length;

describe("submitting a run", () => {
  it("[S1] accepts a workflow as JSON and answers with the run's id and trace", async () => {
    const answer = await ask(world, { url: "/api/v1/runs", body: { spec, input: {} } });

    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      runId: expect.stringMatching(/^run_/),
      traceId: expect.stringMatching(/^[\da-f]{32}$/),
      status: "QUEUED",
    });
    expect(answer.headers["location"]).toBe(`/api/v1/runs/${answer.body.runId}`);
  });

  it("[S1] accepts a workflow as YAML, and a bare workflow as JSON", async () => {
    const yaml = await ask(world, {
      url: "/api/v1/runs",
      text: "name: demo\ntasks:\n  - id: plan\n    agent: planner\n",
      headers: { "content-type": "application/yaml" },
    });
    const bare = await ask(world, { url: "/api/v1/runs", body: spec });

    expect([yaml.status, bare.status]).toEqual([202, 202]);
  });

  it("joins the caller's trace", async () => {
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const answer = await ask(world, {
      url: "/api/v1/runs",
      body: { spec },
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    });

    expect(answer.body.traceId).toBe(traceId);
  });

  const refused: readonly [string, Parameters<typeof ask>[1], number, string][] = [
    [
      "an unknown agent",
      { url: "/api/v1/runs", body: { spec: { ...spec, tasks: [{ id: "a", agent: "nobody" }] } } },
      422,
      "spec_invalid",
    ],
    [
      "a cycle",
      {
        url: "/api/v1/runs",
        body: {
          spec: {
            name: "x",
            tasks: [
              { id: "a", agent: "planner", dependsOn: ["b"] },
              { id: "b", agent: "planner", dependsOn: ["a"] },
            ],
          },
        },
      },
      422,
      "spec_invalid",
    ],
    [
      "a duration without unit",
      { url: "/api/v1/runs", body: { spec: { ...spec, timeout: { run: "60" } } } },
      422,
      "spec_invalid",
    ],
    [
      "a missing input field",
      {
        url: "/api/v1/runs",
        body: { spec: { ...spec, input: { type: "object", required: ["topic"] } }, input: {} },
      },
      422,
      "input_invalid",
    ],
    [
      "an unknown member beside spec and input",
      { url: "/api/v1/runs", body: { spec, inputs: {} } },
      400,
      "request_invalid",
    ],
    ["a body that is no JSON", { url: "/api/v1/runs", text: "{" }, 400, "body_malformed"],
    [
      "a body that is no YAML",
      { url: "/api/v1/runs", text: "a: [", headers: { "content-type": "application/yaml" } },
      400,
      "body_malformed",
    ],
    ["an empty body", { url: "/api/v1/runs", text: "", method: "POST" }, 400, "body_malformed"],
    [
      "[B196] a key that reaches a prototype",
      { url: "/api/v1/runs", text: '{"spec":{},"input":{"__proto__":{"polluted":1}}}' },
      400,
      "body_malformed",
    ],
    [
      "endless nesting",
      { url: "/api/v1/runs", text: `{"spec":${"[".repeat(5000)}${"]".repeat(5000)}}` },
      400,
      "body_malformed",
    ],
    [
      "a body of 2 MiB",
      { url: "/api/v1/runs", text: JSON.stringify({ spec: "x".repeat(2 ** 21) }) },
      413,
      "body_too_large",
    ],
    [
      "[B191] JSON sent as plain text",
      {
        url: "/api/v1/runs",
        text: JSON.stringify({ spec }),
        headers: { "content-type": "text/plain" },
      },
      415,
      "media_type_unsupported",
    ],
    [
      "[B191] a form",
      {
        url: "/api/v1/runs",
        text: "spec=x",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      },
      415,
      "media_type_unsupported",
    ],
    [
      "a wait without unit",
      { url: "/api/v1/runs?wait=30", body: { spec } },
      400,
      "request_invalid",
    ],
    [
      "a wait beyond what proxies allow",
      { url: "/api/v1/runs?wait=10m", body: { spec } },
      400,
      "request_invalid",
    ],
  ];
  it.each(refused)(
    "refuses %s with a problem and stores nothing",
    async (_name, call, status, code) => {
      const answer = await ask(world, call);

      expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
      expect(answer.headers["content-type"]).toContain("application/problem+json");
      expect(answer.body).toMatchObject({
        status,
        detail: expect.any(String),
        traceId: expect.any(String),
      });
      expect(await runs()).toBe(0);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    },
  );

  const elsewhere = "https://elsewhere.example/v1";
  it.each([
    ["/base_url", { ...spec, base_url: elsewhere }],
    ["/providers", { ...spec, providers: { acme: { baseUrl: elsewhere } } }],
    ["/models", { ...spec, models: { smart: { chain: ["acme/smart"], baseUrl: elsewhere } } }],
    ["/tasks/0/baseUrl", { ...spec, tasks: [{ ...spec.tasks[0], baseUrl: elsewhere }] }],
    [
      "/degrade/0/with/baseUrl",
      {
        ...spec,
        degrade: [
          { when: "budget", replace: ["write"], with: { agent: "planner", baseUrl: elsewhere } },
        ],
      },
    ],
  ])(
    "[B194] refuses an address at %s: a key goes to the host of the configuration alone",
    async (pointer, addressed) => {
      const answer = await ask(world, { url: "/api/v1/runs", body: { spec: addressed } });

      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body)).toContain(`"${pointer}"`);
      expect(await runs()).toBe(0);
    },
  );

  it("names the place of each fault of a workflow", async () => {
    const answer = await ask(world, {
      url: "/api/v1/runs",
      body: {
        spec: {
          name: "x",
          tasks: [
            { id: "a", agent: "planer" },
            { id: "a", agent: "planner" },
          ],
        },
      },
    });

    expect(answer.body.issues.length).toBeGreaterThan(1);
    expect(answer.body.issues[0]).toMatchObject({ pointer: expect.stringMatching(/^\/tasks\//) });
  });

  it("does not take a YAML document that multiplies itself", async () => {
    const bomb = ["a: &a [1,1,1,1,1,1,1,1,1]"];
    for (const pair of ["ba", "cb", "dc", "ed", "fe", "gf"]) {
      bomb.push(`${pair[0]}: &${pair[0]} [${`*${pair[1]},`.repeat(9)}]`);
    }
    const answer = await ask(world, {
      url: "/api/v1/runs",
      text: bomb.join("\n"),
      headers: { "content-type": "text/yaml" },
    });

    expect(answer.body.code).toBe("body_malformed");
  });

  it("takes no submit while it shuts down", async () => {
    world.api.drain();

    const answer = await ask(world, { url: "/api/v1/runs", body: { spec } });

    expect({ status: answer.status, code: answer.body.code }).toEqual({
      status: 503,
      code: "shutting_down",
    });
  });

  it("waits for the run's end, when asked to", async () => {
    const answer = ask(world, { url: "/api/v1/runs?wait=30s", body: { spec } });
    await expect.poll(runs).toBe(1);
    const { runs: rows } = await world.store.index.list({ limit: 1 });
    await append(world, rows[0]?.runId ?? "", { type: "run.started" }, finished);

    expect((await answer).body.status).toBe("COMPLETED");
  });

  it("stops waiting after the time asked for", async () => {
    const answer = ask(world, { url: "/api/v1/runs?wait=30s", body: { spec } });
    await expect.poll(() => world.clock.pendingTimers).toBe(1);
    for (let second = 0; second < 30; second++) await world.clock.advanceAsync(1000);

    expect((await answer).body.status).toBe("QUEUED");
    expect(world.clock.pendingTimers).toBe(0);
    expect(world.api.streams).toBe(0);
  });
});

const send = (body: unknown, key = "brd_a") =>
  ask(world, { url: "/api/v1/runs", body, key, headers: { "idempotency-key": "order-7" } });

describe("submitting with an Idempotency-Key", () => {
  beforeEach(() => {
    world = startWorld({ keys: { brd_a: ["submit"], brd_b: ["submit"] } });
  });

  it("[S9] answers the same submit with the same run", async () => {
    const first = await send({ spec, input: {} });
    const second = await send({ spec, input: {} });

    expect(second.status).toBe(202);
    expect(second.body).toEqual(first.body);
    expect(await runs()).toBe(1);
  });

  it("[S9] makes one run of submits that come at once", async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map(async () => send({ spec, input: {} })));

    expect(new Set(answers.map(({ body }) => body.runId)).size).toBe(1);
    expect(await runs()).toBe(1);
  });

  it("[S9] refuses another body under the same key", async () => {
    await send({ spec, input: {} });
    const answer = await send({ spec, input: { topic: "other" } });

    expect({ status: answer.status, code: answer.body.code }).toEqual({
      status: 409,
      code: "idempotency_conflict",
    });
    expect(await runs()).toBe(1);
  });

  it("[S9] does not let two API keys meet in one Idempotency-Key", async () => {
    const first = await send({ spec, input: {} });
    const second = await send({ spec, input: {} }, "brd_b");

    expect(second.body.runId).not.toBe(first.body.runId);
  });

  it("[S9] forgets the key after 24 hours", async () => {
    const first = await send({ spec, input: {} });
    world.clock.advance(24 * 3_600_000 + 1);
    const second = await send({ spec, input: {} });

    expect(second.body.runId).not.toBe(first.body.runId);
  });
});

describe("reading runs", () => {
  it("shows a run with its tasks, budget and output", async () => {
    const runId = await submitDemo(world);
    await append(world, runId, { type: "run.started" }, finished);

    const { status, body } = await ask(world, { url: `/api/v1/runs/${runId}` });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      runId,
      workflow: "demo",
      status: "COMPLETED",
      output: { answer: 42 },
      budget: {
        envelope: "run",
        limit: { tokens: "1000000", nanoUsd: "5000000000", calls: "400" },
      },
    });
    expect(body.tasks.map(({ id }: { id: string }) => id)).toEqual(["plan", "write"]);
  });

  it.each(["run_0unknown", "nonsense", "..%2f..%2fetc"])("has no run %s", async (id) => {
    const answers = await Promise.all(
      ["", "/events", "/stream"].map(async (rest) =>
        ask(world, { url: `/api/v1/runs/${id}${rest}` }),
      ),
    );
    const cancel = await ask(world, { url: `/api/v1/runs/${id}/cancel`, body: {} });

    expect([...answers, cancel].map(({ status, body }) => [status, body.code])).toEqual(
      Array.from({ length: 4 }, () => [404, "run_not_found"]),
    );
  });

  it("lists runs a page at a time, newest first, each once", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) {
      world.clock.advance(1000);
      ids.unshift(await submitDemo(world));
    }
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await ask(world, { url: `/api/v1/runs?limit=2${cursor}` });
      seen.push(...page.body.runs.map(({ runId }: { runId: string }) => runId));
      cursor = page.body.next === undefined ? "" : `&cursor=${encodeURIComponent(page.body.next)}`;
    } while (cursor !== "");

    expect(seen).toEqual(ids);
  });

  it("finds runs by status and refuses a status that does not exist", async () => {
    const runId = await submitDemo(world);
    await submitDemo(world);
    await append(world, runId, { type: "run.started" }, finished);

    const found = await ask(world, { url: "/api/v1/runs?status=COMPLETED" });
    const refused = await ask(world, { url: "/api/v1/runs?status=DONE" });

    expect(found.body.runs).toMatchObject([{ runId, status: "COMPLETED" }]);
    expect(refused).toMatchObject({ status: 400, body: { issues: [{ pointer: "/status" }] } });
  });

  it("gives a run's log page by page", async () => {
    const runId = await submitDemo(world);
    await append(world, runId, { type: "run.started" }, finished);

    const first = await ask(world, { url: `/api/v1/runs/${runId}/events?limit=2` });
    const rest = await ask(world, { url: `/api/v1/runs/${runId}/events?after=${first.body.next}` });

    const types = [...first.body.events, ...rest.body.events].map(
      ({ type }: { type: string }) => type,
    );
    expect(types.filter((type) => type.startsWith("run."))).toEqual([
      "run.submitted",
      "run.started",
      "run.finished",
    ]);
    expect(rest.body.next).toBeUndefined();
  });

  it("folds each entry once, however many ask at the same time", async () => {
    const runId = await submitDemo(world);
    const views = Array.from({ length: 10 }, async () =>
      ask(world, { url: `/api/v1/runs/${runId}` }),
    );
    await append(world, runId, { type: "run.started" });
    await Promise.all(views);
    await append(world, runId, finished);

    const log = await world.store.runs.read(asRunId(runId), { afterSeq: 0, limit: 100 });
    expect((await ask(world, { url: `/api/v1/runs/${runId}` })).body).toMatchObject({
      seq: log.length,
      status: "COMPLETED",
    });
  });

  it("reads again after the store was away", async () => {
    const runId = await submitDemo(world);
    world.store.disconnect();
    const away = await ask(world, { url: `/api/v1/runs/${runId}` });
    world.store.reconnect();
    const back = await ask(world, { url: `/api/v1/runs/${runId}` });

    expect([away.status, away.body.code, back.status]).toEqual([503, "store_unavailable", 200]);
  });
});

describe("controlling runs", () => {
  it("[S7] hands a cancel to the scheduler and closes the run's envelope at once", async () => {
    const runId = await submitDemo(world);

    const answer = await ask(world, {
      url: `/api/v1/runs/${runId}/cancel`,
      body: { reason: "enough" },
    });

    expect(answer).toMatchObject({ status: 202, body: { budget: { closed: true } } });
    expect(await world.store.inbox.read(10)).toMatchObject([
      { runId, message: { kind: "cancel", reason: "enough", by: "local" } },
    ]);
  });

  it("[S7] cancels one task, without a body too, and says so when there is none of that name", async () => {
    const runId = await submitDemo(world);

    const answer = await ask(world, {
      method: "POST",
      url: `/api/v1/runs/${runId}/tasks/plan/cancel`,
    });
    const none = await ask(world, {
      method: "POST",
      url: `/api/v1/runs/${runId}/tasks/nope/cancel`,
    });

    expect(answer.status).toBe(202);
    expect(none).toMatchObject({ status: 404, body: { code: "task_not_found" } });
    expect(await world.store.inbox.read(10)).toMatchObject([
      { message: { kind: "cancel", taskId: "plan" } },
    ]);
  });

  it("[S7] refuses to cancel what has ended", async () => {
    const runId = await submitDemo(world);
    await append(world, runId, { type: "run.started" }, finished);

    const answer = await ask(world, { method: "POST", url: `/api/v1/runs/${runId}/cancel` });

    expect(answer).toMatchObject({ status: 409, body: { code: "run_already_ended" } });
  });

  it("resumes only what is paused", async () => {
    const runId = await submitDemo(world);
    const early = await ask(world, { method: "POST", url: `/api/v1/runs/${runId}/resume` });
    await append(world, runId, { type: "run.started" }, { type: "run.paused", reason: "by hand" });
    const resumed = await ask(world, { method: "POST", url: `/api/v1/runs/${runId}/resume` });

    expect([early.status, early.body.code, resumed.status]).toEqual([
      409,
      "run_not_resumable",
      202,
    ]);
  });

  it("[LF-2] adds to a run's limits, exactly and at once", async () => {
    const runId = await submitDemo(world);
    const url = `/api/v1/runs/${runId}/budget`;

    const raised = await ask(world, { url, body: { addUsd: 0.1, addCalls: 3 } });
    const shown = await ask(world, { url: `/api/v1/budgets/${runId}` });

    expect(raised).toMatchObject({
      status: 200,
      body: {
        envelope: "run",
        limit: { tokens: "1000000", nanoUsd: "5100000000", calls: "403" },
        tripped: false,
      },
    });
    expect(shown.body.envelopes).toEqual([raised.body]);
  });

  it.each([
    [{}],
    [{ addTokens: 0 }],
    [{ addTokens: -5 }],
    [{ addCalls: 1.5 }],
    [{ addUsd: "2" }],
    [{ envelope: "run" }],
    [{ addTokens: 1, limit: 1 }],
  ])("[LF-2] refuses the raise %j: it only adds", async (body) => {
    const runId = await submitDemo(world);
    const answer = await ask(world, { url: `/api/v1/runs/${runId}/budget`, body });
    const shown = await ask(world, { url: `/api/v1/budgets/${runId}` });

    expect(answer).toMatchObject({ status: 400, body: { code: "request_invalid" } });
    expect(shown.body.envelopes).toMatchObject([{ limit: { tokens: "1000000", calls: "400" } }]);
  });

  it("[LF-2] raises nothing of a task without an envelope, or of a run that has ended", async () => {
    const runId = await submitDemo(world);
    const url = `/api/v1/runs/${runId}/budget`;
    const body = { addCalls: 1 };
    const unknown = await ask(world, { url, body: { ...body, envelope: "plan" } });
    await append(world, runId, { type: "run.started" }, finished);
    const late = await ask(world, { url, body });

    expect([unknown.status, unknown.body.code]).toEqual([404, "task_not_found"]);
    expect([late.status, late.body.code]).toEqual([409, "run_already_ended"]);
  });

  it("shows envelopes, agents and breakers", async () => {
    const runId = await submitDemo(world);
    const at = world.clock.wallMs();
    await world.store.fleet.append([
      {
        type: "breaker.open",
        at,
        key: "tool:search",
        tier: "tool",
        triggers: ["consecutive"],
        evidence: {},
        cooldownMs: 30_000,
        openCount: 1,
      },
      {
        type: "breaker.open",
        at: at + 1,
        key: "agent:planner",
        tier: "agent",
        triggers: ["rate"],
        evidence: {},
        cooldownMs: 30_000,
        openCount: 1,
      },
      { type: "breaker.close", at: at + 2, key: "tool:search", tier: "tool" },
    ]);

    const budgets = await ask(world, { url: `/api/v1/budgets/${runId}` });
    const agents = await ask(world, { url: "/api/v1/agents" });
    const breakers = await ask(world, { url: "/api/v1/breakers" });

    expect(budgets.body.envelopes).toMatchObject([{ envelope: "run" }]);
    expect(agents.body.agents).toEqual([{ name: "planner", isolation: "process" }]);
    expect(breakers.body.breakers).toMatchObject([
      { key: "tool:search", state: "CLOSED", parked: 0 },
      { key: "agent:planner", state: "OPEN", parked: 0 },
    ]);
  });

  it("[BR-18] says of each breaker how many tasks are parked behind it", async () => {
    const key = "provider:north/large";
    const runId = asRunId(await submitDemo(world));
    const timers = world.store.state.runs.get(runId)?.timers;
    for (const id of ["a", "b[1]"]) timers?.set(`parked:${id}:${key}`, 9e12);
    const opening = { triggers: ["rate"], evidence: {}, cooldownMs: 30_000, openCount: 1 };
    await world.store.fleet.append([
      { type: "breaker.open", at: world.clock.wallMs(), key, tier: "provider", ...opening },
    ]);
    const { body } = await ask(world, { url: "/api/v1/breakers" });
    expect(body.breakers).toMatchObject([{ key, state: "OPEN", parked: 2 }]);
  });
});

describe("[GV-1] the rate of submits", () => {
  it("a key that submits too fast gets 429 with the time to come back, and no run", async () => {
    await world.api.close();
    world = startWorld({
      governRun: (apiKey) => {
        throw bridleError("rate_governed", { message: apiKey, details: { retryAfterMs: 1500 } });
      },
    });
    const answer = await ask(world, { url: "/api/v1/runs", body: { spec, input: {} } });
    expect(answer).toMatchObject({
      status: 429,
      headers: { "retry-after": "2" },
      body: { code: "rate_governed", detail: "local", retryable: true },
    });
    expect(await runs()).toBe(0);
  });

  it("only a new run counts: not a refused submit, nor the repetition of one", async () => {
    let counted = 0;
    await world.api.close();
    world = startWorld({
      governRun: () => {
        counted += 1;
        return () => void (counted -= 1);
      },
    });
    const headers = { "idempotency-key": "once" };
    await ask(world, { url: "/api/v1/runs", body: { spec, input: {} }, headers });
    await ask(world, { url: "/api/v1/runs", body: { spec, input: {} }, headers });
    await ask(world, { url: "/api/v1/runs", body: { spec: { name: "x" }, input: {} } });
    expect([counted, await runs()]).toEqual([1, 1]);
  });
});
