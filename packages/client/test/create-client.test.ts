import { SimulatedClock, seededRandom } from "@bridle/kernel/testing";
import { describe, expect, it } from "vitest";

import { createClient } from "../src/index.ts";
import type { Fetch, StreamMessage } from "../src/index.ts";

const problem = {
  type: "about:blank",
  title: "Unprocessable",
  status: 422,
  code: "spec_invalid",
  detail: "The workflow has 1 error.",
  retryable: false,
  issues: [{ pointer: "/tasks/0/agent", code: "agent_unknown", message: "No agent `x`." }],
};

function clientOver(fetch: Fetch, clock = new SimulatedClock()) {
  return {
    clock,
    client: createClient({
      url: "http://127.0.0.1:7070/",
      apiKey: "brd_secret",
      fetch,
      clock,
      random: seededRandom(1),
    }),
  };
}

/** Attaches its handler at once: the rejection comes while the clock is being advanced. */
async function codeOf(rejecting: Promise<unknown>): Promise<unknown> {
  return rejecting.then(
    () => "resolved",
    (error: unknown) => (error as { code?: unknown }).code,
  );
}

function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status });
}

/** An event stream that sends the given messages and then breaks, as a killed server does. */
function stream(messages: readonly string[]): Response {
  const bytes = new TextEncoder().encode(messages.map((message) => `${message}\n\n`).join(""));
  let sent = false;
  // Nothing is pulled ahead: a stream that breaks forgets what it still holds.
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (sent) return controller.error(new Error("connection reset"));
        sent = true;
        controller.enqueue(bytes);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const entry = (seq: number, type = "task.started"): string =>
  `id: ${seq}\nevent: ${type}\ndata: {"seq":${seq}}`;

async function collect(messages: AsyncIterable<StreamMessage>): Promise<string[]> {
  const seen: string[] = [];
  for await (const message of messages) seen.push(`${message.seq ?? "-"} ${message.event}`);
  return seen;
}

describe("createClient", () => {
  it("[S1] submits a workflow with the key, and hands back the run's id", async () => {
    const seen: { url: string; init: RequestInit }[] = [];
    const { client } = clientOver(async (url, init) => {
      seen.push({ url, init });
      return json({ runId: "run_1", traceId: "t", status: "QUEUED" }, 202);
    });

    const submitted = await client.submit({ name: "demo" }, { topic: "x" }, { waitMs: 500 });

    expect(submitted).toEqual({ runId: "run_1", traceId: "t", status: "QUEUED" });
    expect(seen[0]?.url).toBe("http://127.0.0.1:7070/api/v1/runs?wait=500ms");
    expect(seen[0]?.init.headers).toMatchObject({ authorization: "Bearer brd_secret" });
    expect(seen[0]?.init.body).toBe('{"spec":{"name":"demo"},"input":{"topic":"x"}}');
  });

  it("turns a problem answer into its coded error, every fault included", async () => {
    const { client } = clientOver(async () => json(problem, 422));

    await expect(client.submit({}, {})).rejects.toMatchObject({
      code: "spec_invalid",
      status: 422,
      retryable: false,
      details: { issues: problem.issues },
    });
  });

  it("says where no server answers", async () => {
    const { client } = clientOver(async () => {
      throw new TypeError("fetch failed", {
        cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }),
      });
    });

    await expect(client.get("run_1")).rejects.toMatchObject({
      code: "server_unreachable",
      message: expect.stringMatching(/http:\/\/127\.0\.0\.1:7070 \(ECONNREFUSED\)/),
    });
  });

  it("gives up on a server that accepts the request and never answers", async () => {
    const { client, clock } = clientOver(
      async (_url, init) =>
        new Promise((_resolve, reject) => {
          init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
        }),
    );
    const answer = codeOf(client.get("run_1"));

    await clock.advanceAsync(30_000);

    expect(await answer).toBe("server_unreachable");
    expect(clock.pendingTimers).toBe(0);
  });

  it("does not follow a redirect, which would carry the key elsewhere", async () => {
    const modes: unknown[] = [];
    const { client } = clientOver(async (_url, init) => {
      modes.push(init.redirect);
      return json({ runs: [] });
    });

    await client.list();

    expect(modes).toEqual(["error"]);
  });

  it("reads an answer that a newer server has extended", async () => {
    const { client } = clientOver(async () => json({ runs: [], next: "c", addedLater: true }));

    await expect(client.list()).resolves.toEqual({ runs: [], next: "c" });
  });
});

describe("following a run", () => {
  it("[B184] goes on behind the last event after a break: nothing missed, nothing twice", async () => {
    const asked: unknown[] = [];
    const connections = [
      stream([entry(1), entry(2)]),
      // A server may repeat what it is not sure was received.
      stream([entry(2), entry(3), 'event: ping\ndata: {"at":1}', entry(4, "run.finished")]),
    ];
    const { client, clock } = clientOver(async (_url, init) => {
      asked.push((init.headers as Record<string, string>)["last-event-id"]);
      return connections.shift() ?? json(problem, 422);
    });

    const seen = collect(client.follow("run_1"));
    await clock.advanceAsync(1000);

    expect(await seen).toEqual([
      "1 task.started",
      "2 task.started",
      "3 task.started",
      "- ping",
      "4 run.finished",
    ]);
    expect(asked).toEqual([undefined, "2"]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("[B184] takes a resync snapshot although its number is older than what was seen", async () => {
    const connections = [
      stream([entry(9)]),
      stream([entry(3, "run.snapshot"), entry(4, "run.finished")]),
    ];
    const { client, clock } = clientOver(async () => connections.shift() ?? json(problem, 422));

    const seen = collect(client.follow("run_1"));
    await clock.advanceAsync(1000);

    expect(await seen).toEqual(["9 task.started", "3 run.snapshot", "4 run.finished"]);
  });

  it("[B182] ends with server_unreachable when the server does not come back", async () => {
    let attempts = 0;
    const { client, clock } = clientOver(async () => {
      attempts += 1;
      throw new TypeError("fetch failed");
    });

    const outcome = codeOf(collect(client.follow("run_1")));
    await clock.advanceAsync(60_000);

    expect(await outcome).toBe("server_unreachable");
    expect(attempts).toBeGreaterThan(5);
  });

  it("does not ask again for a run that is not there", async () => {
    let attempts = 0;
    const { client } = clientOver(async () => {
      attempts += 1;
      return json({ ...problem, status: 404, code: "run_not_found" }, 404);
    });

    await expect(collect(client.follow("run_1"))).rejects.toMatchObject({ code: "run_not_found" });
    expect(attempts).toBe(1);
  });

  it("treats 45 seconds of silence as a break", async () => {
    let connections = 0;
    const { client, clock } = clientOver(async (_url, init) => {
      connections += 1;
      if (connections > 1) return stream([entry(1, "run.finished")]);
      const silent = new ReadableStream<Uint8Array>({
        start: (controller) =>
          init.signal?.addEventListener("abort", () => controller.error(init.signal?.reason)),
      });
      return new Response(silent);
    });

    const seen = collect(client.follow("run_1", { giveUpMs: 60_000 }));
    await clock.advanceAsync(44_999);
    expect(connections).toBe(1);
    await clock.advanceAsync(2000);

    expect(await seen).toEqual(["1 run.finished"]);
  });
});

describe("a header that cannot be sent", () => {
  it.each(["brd_sec\nret", "brd_sec“ret"])(
    "is a caller's mistake and is not quoted",
    async (key) => {
      const client = createClient({
        url: "http://127.0.0.1:7070",
        apiKey: key,
        fetch: async (url, init) => fetch(url, init),
        clock: new SimulatedClock(),
        random: seededRandom(1),
      });

      const error = await client.get("run_1").catch((thrown: unknown) => thrown as Error);

      expect(error).toMatchObject({ code: "request_invalid" });
      expect((error as Error).message).toMatch(/The API key has a character/);
      expect((error as Error).message).not.toContain("brd_sec");
    },
  );

  it("is named when it is the idempotency key", async () => {
    const { client } = clientOver(async () => json({}));
    const submitting = client.submit({}, {}, { idempotencyKey: "a\r\nb" });
    expect(await codeOf(submitting)).toBe("request_invalid");
  });
});
