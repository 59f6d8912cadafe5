import { Buffer } from "node:buffer";
import { once } from "node:events";
import { connect } from "node:net";

import { createClient, SseParser } from "@bridle/client";
import type { SseMessage } from "@bridle/client";
import { systemClock } from "@bridle/kernel/system";
import { SimulatedClock, seededRandom } from "@bridle/kernel/testing";
import { asRunId, asTaskId } from "@bridle/protocol";
import type { LogEntry, RunView } from "@bridle/protocol";
import { afterEach, describe, expect, it } from "vitest";

import type { Sink } from "../src/stream/sink.ts";
import { streamRun } from "../src/stream/stream-run.ts";
import { append, finished, startWorld, submitDemo, token } from "./support.ts";
import type { World } from "./support.ts";

/** A reader whose appetite the test decides. */
class FakeSink implements Sink {
  isBehind = false;
  isClosed = false;
  written = "";
  #drained: (() => void) | undefined;
  #closed: (() => void) | undefined;

  write(text: string): boolean {
    if (this.isClosed) return false;
    this.written += text;
    return !this.isBehind;
  }
  async drained(): Promise<void> {
    if (!this.isBehind || this.isClosed) return;
    await new Promise<void>((resolve) => (this.#drained = resolve));
  }
  catchUp(): void {
    this.isBehind = false;
    this.#drained?.();
  }
  end(): void {
    this.isClosed = true;
  }
  close(): void {
    this.isClosed = true;
    this.#drained?.();
    this.#closed?.();
  }
  onClose(handler: () => void): void {
    this.#closed = handler;
  }
  get messages(): readonly SseMessage[] {
    return new SseParser().push(this.written);
  }
  get order(): readonly string[] {
    return this.messages.map(({ id, event }) => `${id ?? "-"} ${event}`);
  }
}

const runId = asRunId("run_1");

/** A log the test grows, read by `streamRun` as it reads a store's. */
function startStream(options: { entries?: number; afterSeq?: number; hints?: boolean } = {}) {
  const log: LogEntry[] = [];
  const grow = (type = "task.progressed"): void => {
    log.push({ type, at: 0, runId, seq: log.length + 1 } as unknown as LogEntry);
  };
  for (let count = 0; count < (options.entries ?? 0); count++) grow();
  const sink = new FakeSink();
  const clock = new SimulatedClock();
  let wake: () => void = () => undefined;
  let sendTransient: (text: string) => void = () => undefined;
  let listeners = 0;
  const listening = (): (() => void) => {
    listeners += 1;
    return () => void (listeners -= 1);
  };
  let reads = 0;
  const done = streamRun({
    runId,
    view: { runId, seq: log.length, status: "RUNNING" } as unknown as RunView,
    finishedSeq: undefined,
    afterSeq: options.afterSeq,
    sink,
    clock,
    runs: {
      read: async (_id, { afterSeq, limit }) => {
        reads += 1;
        return log.slice(afterSeq, afterSeq + limit);
      },
    },
    listen: (handler) => {
      wake = handler;
      return listening();
    },
    listenTransient: (handler) => {
      sendTransient = (text) =>
        handler({
          type: "llm.delta",
          at: 0,
          runId,
          taskId: asTaskId("plan"),
          attempt: 1,
          step: 1,
          text,
        });
      return listening();
    },
    pollMs: 2000,
    pingMs: 15_000,
  });
  return {
    sink,
    clock,
    done,
    grow: (type?: string) => {
      grow(type);
      if (options.hints !== false) wake();
    },
    delta: (text: string) => sendTransient(text),
    listeners: () => listeners,
    reads: () => reads,
  };
}

describe("the stream of a run", () => {
  it("begins with a snapshot and ends with run.finished", async () => {
    const { sink, clock, done, grow } = startStream({ entries: 2 });
    await clock.advanceAsync(1);
    grow();
    grow("run.finished");
    await done;

    expect(sink.order).toEqual(["2 run.snapshot", "3 task.progressed", "4 run.finished"]);
    expect(sink.isClosed).toBe(true);
  });

  it("[B184] sends exactly the gap after Last-Event-ID, without a snapshot", async () => {
    const { sink, clock, done, grow } = startStream({ entries: 450, afterSeq: 30 });
    await clock.advanceAsync(1);
    grow("run.finished");
    await done;

    expect(sink.messages.map(({ id }) => Number(id))).toEqual(
      Array.from({ length: 421 }, (_, index) => index + 31),
    );
  });

  it.each([
    ["from a log that no longer is", 99],
    ["that makes no sense", Number.NaN],
  ])("[B184] answers a Last-Event-ID %s with one marked snapshot", async (_name, afterSeq) => {
    const { sink, clock, done, grow } = startStream({ entries: 3, afterSeq });
    await clock.advanceAsync(1);
    grow("run.finished");
    await done;

    expect(sink.order).toEqual(["3 run.snapshot", "4 run.finished"]);
    expect(JSON.parse(sink.messages[0]?.data ?? "")).toMatchObject({ resync: true, seq: 3 });
  });

  it("shows a new entry within the poll when no wake-up comes, and at once when one does", async () => {
    const silent = startStream({ entries: 1, hints: false });
    const woken = startStream({ entries: 1 });
    for (const { clock, grow } of [silent, woken]) {
      await clock.advanceAsync(1);
      grow();
      await clock.advanceAsync(1);
    }
    expect([silent.sink.order.length, woken.sink.order.length]).toEqual([1, 2]);

    await silent.clock.advanceAsync(2000);
    expect(silent.sink.order).toEqual(["1 run.snapshot", "2 task.progressed"]);
    for (const { sink, done } of [silent, woken]) {
      sink.close();
      await done;
    }
  });

  it("[B190] pings every 15 seconds with a time and without a number", async () => {
    const { sink, clock, done } = startStream({ entries: 1 });
    await clock.advanceAsync(45_000);

    const pings = sink.messages.filter(({ event }) => event === "ping");
    expect(pings).toHaveLength(3);
    expect(pings[0]).toEqual({ event: "ping", data: expect.stringMatching(/^\{"at":\d+\}$/) });
    sink.close();
    await done;
  });

  it("[B185] stops reading and writing for a reader that is behind, and loses nothing of the log", async () => {
    const { sink, clock, done, grow, delta, reads } = startStream({ entries: 1 });
    await clock.advanceAsync(1);
    sink.isBehind = true;
    for (let count = 0; count < 100_000; count++) grow();
    delta("dropped");
    await clock.advanceAsync(60_000);
    const [heldBytes, heldReads] = [sink.written.length, reads()];
    expect(heldBytes).toBeLessThan(1000);
    expect(heldReads).toBeLessThan(4);

    sink.catchUp();
    delta("seen");
    grow("run.finished");
    await done;

    const log = sink.messages.filter(({ id }) => id !== undefined).map(({ id }) => Number(id));
    expect(log).toEqual(Array.from({ length: 100_002 }, (_, index) => index + 1));
    expect(sink.written).not.toContain("dropped");
    expect(sink.written).toContain("seen");
  });

  it("[B185] leaves no timer and no listener behind when the reader goes", async () => {
    const { sink, clock, done, listeners } = startStream({ entries: 1 });
    await clock.advanceAsync(1);
    expect(listeners()).toBe(2);

    sink.close();
    await done;

    expect([listeners(), clock.pendingTimers]).toEqual([0, 0]);
  });
});

/** The same answer, whose connection breaks after so many bytes, in the middle of a message. */
function cutAfter(response: Response, bytes: number): Response {
  let left = bytes;
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (left <= 0) throw new Error("connection reset");
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
    },
  });
  return new Response(response.body?.pipeThrough(cut) ?? null, response);
}

describe("streams over real connections", () => {
  let world: World;
  afterEach(async () => world.api.close());

  async function serve(options: Parameters<typeof startWorld>[0] = {}) {
    world = startWorld({ ...options, limits: { pollMs: 20, ...options.limits } });
    const url = await world.api.listen({ host: "127.0.0.1", port: 0 });
    const client = createClient({
      url,
      apiKey: token,
      fetch,
      clock: systemClock,
      random: seededRandom(1),
    });
    return { url, client };
  }

  it("[B184] hands a client whose connection breaks again and again every event exactly once", async () => {
    const { url } = await serve();
    const id = await submitDemo(world);
    let connections = 0;
    const client = createClient({
      url,
      apiKey: token,
      fetch: async (address, init) => {
        connections += 1;
        return cutAfter(await fetch(address, init), 700);
      },
      clock: systemClock,
      random: seededRandom(1),
    });
    const seen: (number | undefined)[] = [];
    const following = (async () => {
      for await (const { seq } of client.follow(id, { afterSeq: 0 })) seen.push(seq);
    })();
    await append(world, id, { type: "run.started" });
    for (let count = 0; count < 10; count++) {
      await append(
        world,
        id,
        { type: "run.paused", reason: "x" },
        { type: "run.resumed", by: "x" },
      );
    }
    await append(world, id, finished);
    await following;

    const log = await world.store.runs.read(asRunId(id), { afterSeq: 0, limit: 1000 });
    expect(log.length).toBeGreaterThan(20);
    expect(seen).toEqual(log.map(({ seq }) => seq));
    expect(connections).toBeGreaterThan(3);
  });

  it("answers a reader that has seen the end with 204, which tells it not to come back", async () => {
    const { url } = await serve();
    const id = await submitDemo(world);
    await append(world, id, { type: "run.started" }, finished);
    const stream = (lastEventId: string): Promise<Response> =>
      fetch(`${url}/api/v1/runs/${id}/stream`, {
        headers: { authorization: `Bearer ${token}`, "last-event-id": lastEventId },
      });

    const last = (await world.store.runs.read(asRunId(id), { afterSeq: 0, limit: 100 })).length;
    expect((await stream(String(last))).status).toBe(204);
    expect(await (await stream(String(last - 1))).text()).toContain("event: run.finished");
  });

  it("gives a new reader of an ended run its snapshot and its end", async () => {
    const { url } = await serve();
    const id = await submitDemo(world);
    await append(world, id, { type: "run.started" }, finished);

    const response = await fetch(`${url}/api/v1/runs/${id}/stream`, {
      headers: { authorization: `Bearer ${token}` },
    });

    const events = new SseParser().push(await response.text()).map(({ event }) => event);
    expect(events).toEqual(["run.snapshot", "run.finished"]);
  });

  it("[B185] cuts a reader off that takes nothing, and forgets 500 readers that came and went", async () => {
    const { url, client } = await serve();
    const id = await submitDemo(world);
    await append(world, id, { type: "run.started" });
    const { port } = new URL(url);
    let most = 0;
    for (let round = 0; round < 10; round++) {
      const sockets = Array.from({ length: 50 }, () => connect(Number(port), "127.0.0.1"));
      for (const socket of sockets) {
        socket.on("error", () => undefined);
        socket.write(
          `GET /api/v1/runs/${id}/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
        );
      }
      await Promise.all(sockets.map(async (socket) => once(socket, "data")));
      most = Math.max(most, world.api.streams);
      for (const socket of sockets) socket.destroy();
    }
    expect(most).toBeGreaterThanOrEqual(50);
    await expect.poll(() => world.api.streams).toBe(0);
    expect(world.bus.handlerCount()).toBe(0);
    // The control: it still serves.
    expect((await client.get(id)).status).toBe("RUNNING");
  });

  it("[B185] destroys the connection of a reader that stays behind too long", async () => {
    const { url } = await serve({ limits: { slowReaderMs: 100 } });
    const id = await submitDemo(world);
    await append(world, id, { type: "run.started" });
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(
      `GET /api/v1/runs/${id}/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    await once(socket, "data");
    socket.pause();
    const reason = "x".repeat(200_000);
    for (let count = 0; count < 100; count++) {
      await append(world, id, { type: "run.paused", reason }, { type: "run.resumed", by: "x" });
    }
    // The world's clock is simulated: the cut comes when its 100 ms are over.
    await expect
      .poll(async () => {
        await world.clock.advanceAsync(100);
        return world.api.streams;
      })
      .toBe(0);
    expect(Buffer.byteLength(reason) * 100).toBeGreaterThan(10_000_000);
    socket.destroy();
  });

  it("ends its streams when it shuts down, so that readers go elsewhere", async () => {
    const { url } = await serve();
    const id = await submitDemo(world);
    const response = await fetch(`${url}/api/v1/runs/${id}/stream`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const text = response.text();

    await world.api.close();

    expect(await text).toContain("event: run.snapshot");
  });
});
