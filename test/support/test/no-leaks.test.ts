// Real time: what leaks here are timers of the machine.
import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { Worker } from "node:worker_threads";

import { beforeEach, describe, expect, it } from "vitest";

import { baseline, leaksAfter, leaksSince } from "../no-leaks.ts";

async function listening(): Promise<Server> {
  const server = createServer((socket) => socket.resume());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const emitter = new EventEmitter();

function leaveTimer(ms = 60_000): NodeJS.Timeout {
  // Real time: a timer that is left behind is what is to be found.
  return setTimeout(() => undefined, ms);
}

/** Leaves one thing behind, and takes it away again. */
const kinds: Readonly<Record<string, () => Promise<() => unknown>>> = {
  timer: async () => {
    const timer = leaveTimer();
    return () => clearTimeout(timer);
  },
  "timer that repeats": async () => {
    // Real time: as above.
    const timer = setInterval(() => undefined, 60_000);
    return () => clearInterval(timer);
  },
  "listening server": async () => {
    const server = await listening();
    return () => server.close();
  },
  socket: async () => {
    const server = await listening();
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    server.close();
    return () => socket.destroy();
  },
  "child process": async () => {
    const child = spawn("sleep", ["60"], { stdio: "ignore" });
    return () => child.kill("SIGKILL");
  },
  // Detached and forgotten, nothing in this process knows it: only the table of processes does.
  "child process that is forgotten": async () => {
    const child = spawn("sleep", ["60"], { stdio: "ignore", detached: true });
    child.unref();
    return () => child.kill("SIGKILL");
  },
  thread: async () => {
    const thread = new Worker("setTimeout(() => {}, 60_000)", { eval: true });
    await new Promise((resolve) => thread.once("online", resolve));
    return async () => thread.terminate();
  },
  "listener of process for SIGUSR2": async () => {
    const hear = (): void => undefined;
    process.on("SIGUSR2", hear);
    return () => process.off("SIGUSR2", hear);
  },
  "listener of bus for event": async () => {
    const hear = (): void => undefined;
    emitter.on("event", hear);
    return () => emitter.off("event", hear);
  },
};

/** A timer of the runner's that is there before and not after would stand in for one that a test leaves. */
beforeEach(async () => {
  while (process.getActiveResourcesInfo().includes("Timeout")) {
    // oxlint-disable-next-line no-await-in-loop -- looks again
    await new Promise((resolve) => setTimeout(resolve, 5).unref());
  }
});

describe("no-leaks", () => {
  it.each(Object.keys(kinds))(
    "tells by name of a %s, and no more once it is gone",
    async (kind) => {
      const before = baseline({ bus: emitter });
      const takeAway = await kinds[kind]?.();
      const [name = ""] = kind.split(" that ");
      expect(leaksSince(before)).toContainEqual(expect.stringContaining(name));
      await takeAway?.();
      expect(await leaksAfter(before)).toEqual([]);
    },
  );

  it("counts what is more than one", async () => {
    const before = baseline();
    const timers = [1, 2, 3].map(() => leaveTimer());
    expect(leaksSince(before)).toContain("timer (3 of them)");
    for (const timer of timers) clearTimeout(timer);
    expect(await leaksAfter(before)).toEqual([]);
  });

  it("waits for what ends by itself, and for no longer than it is given", async () => {
    const before = baseline();
    const short = leaveTimer(20);
    expect(await leaksAfter(before)).toEqual([]);
    const long = leaveTimer();
    expect(await leaksAfter(before, 10)).toContain("timer");
    clearTimeout(short);
    clearTimeout(long);
  });

  it("does not count what keeps nobody alive", () => {
    const before = baseline();
    const timer = leaveTimer().unref();
    expect(leaksSince(before)).toEqual([]);
    clearTimeout(timer);
  });
});
