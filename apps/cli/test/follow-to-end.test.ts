import type { Client, StreamMessage } from "@bridle/client";
import { bridleError } from "@bridle/protocol";
import type { RunView } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { serveUntilStopped } from "../src/commands/serve-until-stopped.ts";
import { followToEnd } from "../src/follow-to-end.ts";
import { fakeIo } from "./fake-io.ts";
import type { FakeIo } from "./fake-io.ts";

const view = (status: RunView["status"]): RunView => ({
  runId: "run_1",
  traceId: "t",
  workflow: "w",
  version: 1,
  status,
  createdAt: 0,
  finishedAt: 1500,
  seq: 2,
  tasks: [],
  degraded: [],
  output: { answer: 42 },
});

/** A run whose stream the test feeds, and what was asked of it. */
function startRun(options: { cancelFails?: Error } = {}) {
  const asked: string[] = [];
  const messages: StreamMessage[] = [];
  let wake: () => void = () => undefined;
  let status: RunView["status"] = "RUNNING";
  const client = {
    get: async () => view(status),
    cancel: async () => {
      asked.push("cancel");
      if (options.cancelFails !== undefined) throw options.cancelFails;
      return view("CANCELLING");
    },
    async *follow(_runId: string, { signal }: { signal?: AbortSignal } = {}) {
      signal?.addEventListener("abort", () => wake());
      for (;;) {
        signal?.throwIfAborted();
        const next = messages.shift();
        if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else yield next;
        if (next?.event === "run.finished") return;
      }
    },
  } as unknown as Client;
  return {
    client,
    asked,
    finish: (end: RunView["status"]) => {
      status = end;
      messages.push({ event: "run.finished", seq: 2, data: { at: 0, status: end } });
      wake();
    },
    send: (event: string, data: object) => {
      messages.push({ event, data: { at: 0, ...data } });
      wake();
    },
    pause: () => {
      status = "PAUSED";
    },
  };
}

function follow(
  run: ReturnType<typeof startRun>,
  io: FakeIo,
  onInterrupt: "cancel" | "detach" = "cancel",
) {
  return followToEnd({ client: run.client, runId: "run_1", io, format: "text", onInterrupt });
}

describe("following a run on the terminal", () => {
  it.each([
    ["COMPLETED", 0],
    ["FAILED", 1],
    ["CANCELLED", 4],
    ["TIMED_OUT", 6],
    ["BUDGET_EXCEEDED", 3],
  ] as const)("[B182] ends with the verdict on a %s run", async (status, code) => {
    const [run, io] = [startRun(), fakeIo()];
    const exitCode = follow(run, io);
    run.finish(status);

    expect(await exitCode).toBe(code);
    expect(io.errText).toContain(`run_1 ${status}`);
    expect(JSON.parse(io.outText)).toEqual({ answer: 42 });
    expect(io.interruptHandlers).toBe(0);
  });

  it("ends when a guard pauses the run, since only a person lets it go on", async () => {
    const [run, io] = [startRun(), fakeIo()];
    const exitCode = follow(run, io);
    run.pause();
    run.send("run.paused", { reason: "budget", stop: { reason: "budget" } });
    expect(await exitCode).toBe(3);
  });

  it("goes on following a run that a person paused", async () => {
    const [run, io] = [startRun(), fakeIo()];
    const exitCode = follow(run, io);
    run.send("run.paused", { reason: "by hand" });
    run.finish("COMPLETED");
    expect(await exitCode).toBe(0);
  });

  it("draws a table in place on a terminal and leaves its last state", async () => {
    const [run, io] = [startRun(), fakeIo({ isTerminal: true })];
    const exitCode = follow(run, io);
    run.send("task.started", { taskId: "plan" });
    run.finish("COMPLETED");
    await exitCode;
    expect(io.errText).toContain("A\r\u001B[J");
    expect(io.errText).toContain("plan");
  });

  it("never moves the cursor where there is no terminal", async () => {
    const [run, io] = [startRun(), fakeIo()];
    const exitCode = follow(run, io);
    run.send("task.started", { taskId: "plan" });
    run.finish("COMPLETED");
    await exitCode;
    expect(io.errText).not.toContain("\u001B");
    expect(io.errText).toContain("task.started");
  });
});

describe("Ctrl-C while following", () => {
  it("[B187] cancels a run this command started, says so, and waits for its end", async () => {
    const [run, io] = [startRun(), fakeIo()];
    const exitCode = follow(run, io);
    io.interrupt();
    expect(run.asked).toEqual(["cancel"]);
    expect(io.errText).toContain("Cancelling run_1");
    run.finish("CANCELLED");

    expect(await exitCode).toBe(130);
    expect(io.errText).toContain("run_1 CANCELLED");
    expect(io.exits).toEqual([]);
  });

  it("[B187] leaves at once the second time", async () => {
    const [run, io] = [startRun(), fakeIo()];
    const exitCode = follow(run, io);
    io.interrupt();
    io.interrupt();
    expect(io.exits).toEqual([130]);
    expect(run.asked).toEqual(["cancel"]);
    run.finish("CANCELLED");
    await exitCode;
  });

  it("[B187] leaves a run that was only looked at alone, and says that it goes on", async () => {
    const [run, io] = [startRun(), fakeIo()];
    const exitCode = follow(run, io, "detach");
    io.interrupt();

    expect(await exitCode).toBe(130);
    expect(run.asked).toEqual([]);
    expect(io.errText).toContain("it goes on");
    expect(io.errText).toContain("bridle runs cancel run_1");
  });

  it("[B187] says that the run goes on when it cannot be cancelled", async () => {
    const run = startRun({ cancelFails: bridleError("server_unreachable") });
    const io = fakeIo();
    const exitCode = follow(run, io);
    io.interrupt();

    expect(await exitCode).toBe(130);
    expect(io.errText).toContain("could not be cancelled and goes on");
  });

  it("[B187] waits for the end of a run that ended in the meantime", async () => {
    const run = startRun({ cancelFails: bridleError("run_already_ended") });
    const io = fakeIo();
    const exitCode = follow(run, io);
    io.interrupt();
    run.finish("COMPLETED");
    expect(await exitCode).toBe(130);
    expect(io.errText).toContain("run_1 COMPLETED");
  });
});

describe("Ctrl-C at a server", () => {
  it("[B187] stops in order the first time and at once the second", async () => {
    const io = fakeIo();
    let stopped: () => void = () => undefined;
    const running = { stop: async () => new Promise<void>((resolve) => (stopped = resolve)) };
    const exitCode = serveUntilStopped(Promise.resolve(running), io);
    io.interrupt();
    expect(io.errText).toContain("Runs in hand go on at the next start");
    io.interrupt();
    expect(io.exits).toEqual([130]);
    await new Promise((resolve) => setImmediate(resolve));
    stopped();
    expect(await exitCode).toBe(130);
  });

  it("[B187] stops also what is still starting, once it has started", async () => {
    const io = fakeIo();
    let started: () => void = () => undefined;
    let stops = 0;
    const starting = new Promise<{ stop(): Promise<void> }>((resolve) => {
      started = () => resolve({ stop: async () => void (stops += 1) });
    });
    const exitCode = serveUntilStopped(starting, io);
    io.interrupt();
    started();
    expect([await exitCode, stops]).toEqual([130, 1]);
  });

  it("[WD-13] a worker that retires is stopped in order, and the process leaves as one to be started anew", async () => {
    const io = fakeIo();
    let stops = 0;
    const retired = Promise.resolve("four threads do not end");
    const running = { retired, stop: async () => void (stops += 1) };
    expect([await serveUntilStopped(Promise.resolve(running), io), stops]).toEqual([75, 1]);
    expect(io.errText).toContain("to be started anew: four threads do not end.");
  });
});
