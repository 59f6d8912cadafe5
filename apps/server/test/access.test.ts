import { once } from "node:events";
import { connect } from "node:net";

import { routeTable } from "@bridle/protocol";
import { afterEach, describe, expect, it } from "vitest";

import { ask, spec, startWorld, token } from "./support.ts";
import type { World } from "./support.ts";

let world: World;
afterEach(async () => world.api.close());

describe("who may ask", () => {
  it("[B191] asks every route but the open ones for a key", async () => {
    world = startWorld();
    const guarded = Object.values(routeTable).filter(({ scope }) => scope !== "open");

    const answers = await Promise.all(
      guarded.map(async ({ method, path }) =>
        ask(world, { method, url: path.replace(/:\w+/g, "run_1"), key: null }),
      ),
    );

    expect(answers.length).toBeGreaterThan(10);
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [401, "unauthorized"]),
    );
    expect(answers[0]?.headers["www-authenticate"]).toBe("Bearer");
  });

  it.each(["brd_wrong", `${token}x`, ""])("refuses the credential %j", async (key) => {
    world = startWorld();

    expect((await ask(world, { url: "/api/v1/runs", key })).status).toBe(401);
  });

  it.each([
    ["read", [200, 403, 403]],
    ["submit", [200, 202, 403]],
    ["operate", [200, 403, 404]],
    ["admin", [200, 202, 404]],
  ] as const)("lets a key with the scope %s do that and no more", async (scope, expected) => {
    world = startWorld({ keys: { brd_key: [scope] } });
    const key = "brd_key";

    const answers = [
      await ask(world, { url: "/api/v1/runs", key }),
      await ask(world, { url: "/api/v1/runs", key, body: { spec } }),
      await ask(world, { url: "/api/v1/runs/run_1/cancel", key, method: "POST" }),
    ];

    expect(answers.map(({ status }) => status)).toEqual(expected);
  });
});

describe("requests of other sites", () => {
  const foreign: readonly [string, Record<string, string>][] = [
    ["a rebound name", { host: "evil.test" }],
    ["a rebound name with the right port", { host: "evil.test:7070" }],
    ["another site's page", { origin: "https://evil.test" }],
    ["a page without an origin of its own", { origin: "null" }],
    ["another port of this machine", { origin: "http://127.0.0.1:9999" }],
    ["a cross-site navigation", { "sec-fetch-site": "cross-site" }],
  ];
  it.each(foreign)(
    "[B191] refuses %s even with the token, and reveals nothing by CORS",
    async (_name, headers) => {
      world = startWorld();

      const answer = await ask(world, { url: "/api/v1/runs", body: { spec }, headers });

      expect([answer.status, answer.body.code]).toEqual([403, "forbidden"]);
      expect(
        Object.keys(answer.headers).filter((name) => name.startsWith("access-control")),
      ).toEqual([]);
      expect((await world.store.index.list({ limit: 1 })).runs).toEqual([]);
    },
  );

  it("[B191] serves the loopback names and its own pages", async () => {
    world = startWorld();
    const allowed = [
      { host: "localhost:7070" },
      { host: "[::1]:7070" },
      { host: "127.0.0.1:7070", origin: "http://127.0.0.1:7070" },
    ];

    const answers = await Promise.all(
      allowed.map(async (headers) => ask(world, { url: "/api/v1/runs", headers })),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it.each(["token", "api_key", "access_token"])(
    "[B191] refuses a key in the URL as %s",
    async (name) => {
      world = startWorld();

      const answer = await ask(world, {
        url: `/api/v1/runs/run_1/stream?${name}=${token}`,
        key: null,
      });

      expect(answer.status).toBe(403);
      expect(answer.text).not.toContain(token);
    },
  );

  it("[B191] does not answer preflight requests", async () => {
    world = startWorld();
    const answer = await world.api.inject({
      method: "OPTIONS",
      url: "/api/v1/runs",
      headers: {
        host: "127.0.0.1",
        origin: "https://evil.test",
        "access-control-request-method": "POST",
      },
    });

    expect(answer.statusCode).toBeGreaterThanOrEqual(400);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });
});

const probe = async (): Promise<unknown[]> => {
  const answers = await Promise.all(
    ["/healthz", "/readyz"].map(async (url) => ask(world, { url, key: null })),
  );
  return answers.map(({ status }) => status);
};

describe("probes", () => {
  it("[B178] is alive and ready when all is well", async () => {
    world = startWorld();
    expect(await probe()).toEqual([200, 200]);
  });

  it("tells with its readiness, and with nothing else, what the store survives", async () => {
    world = startWorld();
    const [alive, ready] = await Promise.all(
      ["/healthz", "/readyz"].map(async (url) => ask(world, { url, key: null })),
    );
    expect(alive?.body).toEqual({ status: "ok", problems: [] });
    expect(ready?.body).toEqual({ status: "ok", problems: [], durability: "Survives nothing." });
  });

  it("[B178] stays alive but not ready when the store is down, and ready again when it is back", async () => {
    world = startWorld();
    world.store.disconnect();
    expect(await probe()).toEqual([200, 503]);
    world.store.reconnect();
    expect(await probe()).toEqual([200, 200]);
  });

  it("[B178] is not ready when the store does not answer in time", async () => {
    world = startWorld();
    world.store.ping = async () => new Promise(() => undefined);
    const answer = ask(world, { url: "/readyz", key: null });
    await world.clock.advanceAsync(2000);

    expect((await answer).body.problems).toEqual(["The store did not answer within 2000 ms."]);
    expect(world.clock.pendingTimers).toBe(0);
  });

  it("[B178] is not alive when a loop of it no longer turns", async () => {
    world = startWorld();
    world.parts = [{ name: "scheduler", isAlive: false, isReady: false }];
    expect(await probe()).toEqual([503, 503]);
  });

  it("[B178] is alive but not ready while draining", async () => {
    world = startWorld();
    world.api.drain();
    expect(await probe()).toEqual([200, 503]);
  });
});

describe("the API's description", () => {
  it("describes every route with its answers and problems", async () => {
    world = startWorld();

    const { body, status } = await ask(world, { url: "/openapi.json", key: null });

    expect(status).toBe(200);
    const described = Object.entries(body.paths as Record<string, object>).flatMap(
      ([path, methods]) =>
        Object.keys(methods).map(
          (method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
        ),
    );
    expect(described.toSorted()).toEqual(
      Object.values(routeTable)
        .map(({ method, path }) => `${method} ${path}`)
        .toSorted(),
    );
    expect(body.paths["/api/v1/runs"].post.responses).toMatchObject({
      "202": {},
      "409": {},
      "413": {},
      "415": {},
      "422": {},
    });
  });

  it("shows a page that runs no script", async () => {
    world = startWorld();

    const page = await ask(world, { url: "/docs", key: null });

    expect(page.text).toContain("POST /api/v1/runs");
    expect(page.text).not.toContain("<script");
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
  });

  it("answers an unknown route with a problem", async () => {
    world = startWorld();

    expect(await ask(world, { url: "/api/v1/nothing" })).toMatchObject({
      status: 404,
      body: { code: "route_not_found" },
    });
  });

  it("says nothing about its inside when something breaks", async () => {
    world = startWorld();
    world.store.index.list = async () => {
      throw new TypeError("password=hunter2");
    };

    const answer = await ask(world, { url: "/api/v1/runs" });

    expect(answer).toMatchObject({ status: 500, body: { code: "internal" } });
    expect(answer.text).not.toContain("hunter2");
    expect(world.logged).toMatchObject([
      { traceId: answer.body.traceId, error: expect.any(TypeError) },
    ]);
  });
});

describe("the end of a server", () => {
  const listening = async (): Promise<URL> => {
    world = startWorld();
    return new URL(await world.api.listen({ host: "127.0.0.1", port: 0 }));
  };

  it("waits for no connection on which nothing was asked", async () => {
    const { port, hostname } = await listening();
    const silent = connect(Number(port), hostname);
    const closed = once(silent, "close");
    await once(silent, "connect");
    // The server knows of it by now: it answers others.
    await fetch(`http://${hostname}:${port}/healthz`);

    await world.api.close();

    await closed;
    expect(silent.bytesRead).toBe(0);
  });

  it("waits for the answer to a request in hand", async () => {
    const url = await listening();
    let answer: (() => void) | undefined;
    const asked = new Promise<void>((resolve) => {
      world.store.ping = async () => {
        resolve();
        await new Promise<void>((answered) => (answer = answered));
      };
    });
    const response = fetch(new URL("/readyz", url));
    await asked;
    let isClosed = false;
    const closing = world.api.close().then(() => (isClosed = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(false);

    answer?.();

    await closing;
    expect((await response).status).toBe(200);
  });

  it("waits no longer than its time for a caller that never sends the rest of its body", async () => {
    const { port, hostname } = await listening();
    const caller = connect(Number(port), hostname);
    const closed = once(caller, "close");
    caller.write(
      `POST /api/v1/runs HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n`,
    );
    // Node answers an `expect` when it has taken the request up: it is in hand by now.
    await once(caller, "data");
    let isClosed = false;
    const closing = world.api.close().then(() => (isClosed = true));
    await world.clock.advanceAsync(4999);
    expect(isClosed).toBe(false);

    await world.clock.advanceAsync(1);

    await closing;
    await closed;
  });
});
