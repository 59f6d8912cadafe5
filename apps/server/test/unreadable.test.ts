import { connect } from "node:net";

import { bridleError } from "@bridle/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ask, startWorld } from "./support.ts";
import type { World } from "./support.ts";

let world: World;
beforeEach(() => void (world = startWorld()));
afterEach(async () => world.api.close());

/** What a server says to bytes that are no request. */
async function say(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => (answer += text));
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

describe("a request no route ever sees", () => {
  it.each([
    ["/api/v1/runs/%ff", "a % that begins no character"],
    ["/%", "a lone %"],
    [`/api/v1/runs/${"a".repeat(5000)}`, "an endless id"],
    ["/api/v1/runs?workflow=%00", "NUL in a filter"],
    ["/api/v1/runs?cursor=1:%00", "NUL in a cursor"],
  ])("is refused with a problem body: %s, %s", async (url) => {
    const answer = await ask(world, { url });

    expect(answer.status).toBe(400);
    expect(answer.headers["content-type"]).toMatch(/^application\/problem\+json/);
    expect(answer.body).toMatchObject({ code: "request_invalid", status: 400, retryable: false });
    expect(world.logged).toEqual([]);
  });

  it.each([
    ["GARBAGE\r\n\r\n", /not valid HTTP/],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(70_000)}\r\n\r\n`, /headers are too large/],
  ])("is told in a problem body that its bytes are no HTTP", async (bytes, reason) => {
    const url = await world.api.listen({ host: "127.0.0.1", port: 0 });

    const answer = await say(url, bytes);

    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain("content-type: application/problem+json");
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({
      code: "request_invalid",
      detail: expect.stringMatching(reason),
    });
  });
});

describe("a fault that is not the caller's", () => {
  it.each([
    ["store_unavailable", 503, "The store does not answer."],
    ["store_full", 507, "The disk that holds the store is full."],
    ["internal", 500, /log has the details/],
  ] as const)(
    "tells the caller %s, and its own words to the log only",
    async (code, status, detail) => {
      const message = "connect ECONNREFUSED 10.0.0.7:5432";
      world.store.index.list = () => Promise.reject(bridleError(code, { message }));

      const answer = await ask(world, { url: "/api/v1/runs" });

      expect(answer.status).toBe(status);
      expect(answer.body).toMatchObject({ code, detail: expect.stringMatching(detail) });
      expect(answer.text).not.toContain("10.0.0.7");
      expect(world.logged).toMatchObject([{ traceId: answer.body.traceId, error: { message } }]);
    },
  );
});
