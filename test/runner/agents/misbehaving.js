/** A cast of agents for the runner's tests on real processes. Plain JS: it starts in a third of the time. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, writeSync } from "node:fs";

import { defineAgent, defineTool } from "@bridle/agent";

const module = import.meta.url;

const wait = async (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Without pipes, and with the turns of the loop that Node takes to forget an ended child. */
const runProgram = async (...command) => {
  await once(spawn(...command, { stdio: "ignore" }), "close");
  await wait(50);
};

export const echo = defineAgent({ name: "echo", module, run: (_, input) => ({ echo: input }) });

export const pid = defineAgent({ name: "pid", module, run: () => process.pid });

export const slowEcho = defineAgent({
  name: "slow-echo",
  module,
  run: async (_, { ms }) => {
    await wait(ms);
    return "done";
  },
});

export const spins = defineAgent({
  name: "spins",
  module,
  run: () => {
    for (;;);
  },
});

export const spinsInMicrotasks = defineAgent({
  name: "spins-in-microtasks",
  module,
  run: async () => {
    for (;;) await Promise.resolve();
  },
});

export const ignoresEverything = defineAgent({
  name: "ignores-everything",
  module,
  run: async () => {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
    return new Promise(() => {});
  },
});

/** WD-13: says how it was asked to stop, and goes on. */
export const hearsSignals = defineAgent({
  name: "hears-signals",
  module,
  run: async (context) => {
    process.on("SIGTERM", () => console.log("heard SIGTERM"));
    context.signal.addEventListener("abort", () =>
      console.log(`heard abort ${context.signal.reason.code}`),
    );
    return new Promise(() => {});
  },
  onCancel: (_, { code }) => console.log(`heard onCancel ${code}`),
});

/** B110: a grandchild that outlives its parent unless the whole group is killed. */
export const leavesGrandchild = defineAgent({
  name: "leaves-grandchild",
  module,
  run: async (context) => {
    const child = spawn("sh", ["-c", "sleep 600 & echo $!; wait"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    child.stdout.on("data", (text) => context.log.info(`grandchild ${String(text).trim()}`));
    return new Promise(() => {});
  },
});

/** Leaves the group: only descent or the token in its environment finds it. */
export const leavesSession = defineAgent({
  name: "leaves-session",
  module,
  run: async (context) => {
    const child = spawn("sh", ["-c", "echo $$; sleep 600"], {
      stdio: ["ignore", "pipe", "ignore"],
      // A session of its own, as setsid gives it.
      detached: true,
    });
    child.stdout.on("data", (text) => context.log.info(`grandchild ${String(text).trim()}`));
    return new Promise(() => {});
  },
});

/** Finishes well and leaves something behind. */
export const leavesLitter = defineAgent({
  name: "leaves-litter",
  module,
  run: () => {
    execFile("sleep", ["600"]).unref();
    return { pid: process.pid, token: process.env.BRIDLE_ISOLATE };
  },
});

/** Finishes well and leaves a daemon: nobody's child, in no group of ours, with no pipe. */
export const leavesDaemon = defineAgent({
  name: "leaves-daemon",
  module,
  run: async () => {
    await runProgram("sh", ["-c", "setsid sleep 600 &"]);
    return { pid: process.pid, token: process.env.BRIDLE_ISOLATE };
  },
});

/** Runs a program and waits for it, as many tools do. */
export const runsProgram = defineAgent({
  name: "runs-program",
  module,
  run: async () => {
    await runProgram("true", []);
    return process.pid;
  },
});

export const writesGarbage = defineAgent({
  name: "writes-garbage",
  module,
  run: async () => {
    writeSync(3, "this is no frame at all, and it is long enough to be one");
    return new Promise(() => {});
  },
});

export const announcesFourGigabytes = defineAgent({
  name: "announces-four-gigabytes",
  module,
  run: async () => {
    writeSync(3, Buffer.from([0xff, 0xff, 0xff, 0xff]));
    return new Promise(() => {});
  },
});

export const closesPipe = defineAgent({
  name: "closes-pipe",
  module,
  run: async () => {
    closeSync(3);
    setTimeout(() => process.exit(7), 50);
    return new Promise(() => {});
  },
});

export const exits = defineAgent({
  name: "exits",
  module,
  run: async (_, { code }) => {
    process.stderr.write("last words\n");
    process.exit(code);
  },
});

export const killsItself = defineAgent({
  name: "kills-itself",
  module,
  run: async () => {
    process.kill(process.pid, "SIGKILL");
    return new Promise(() => {});
  },
});

export const throwsLater = defineAgent({
  name: "throws-later",
  module,
  run: async () => {
    setTimeout(() => {
      throw new Error("nobody catches this");
    }, 10);
    return new Promise(() => {});
  },
});

export const steals = defineAgent({ name: "steals", module, run: () => ({ ...process.env }) });

export const bigOutput = defineAgent({
  name: "big-output",
  module,
  run: (_, { megabytes }) => "x".repeat(megabytes * 1024 * 1024),
});

export const takesBigInput = defineAgent({
  name: "takes-big-input",
  module,
  run: (_, { text }) => text.length,
});

export const eatsMemory = defineAgent({
  name: "eats-memory",
  module,
  run: async () => {
    const kept = [];
    for (;;) {
      kept.push(Buffer.alloc(32 * 1024 * 1024, 1));
      await wait(20);
    }
  },
});

export const floods = defineAgent({
  name: "floods",
  module,
  run: (context) => {
    for (let line = 0; line < 20_000; line++) context.log.info(`line ${line}`);
    for (let line = 0; line < 20_000; line++) process.stdout.write(`printed ${line}\n`);
    return "done";
  },
});

export const answersTwice = defineAgent({
  name: "answers-twice",
  module,
  run: async () => {
    const frame = (message) => {
      const body = Buffer.from(JSON.stringify(message));
      const head = Buffer.alloc(4);
      head.writeUInt32BE(body.length);
      return Buffer.concat([head, body]);
    };
    // A message for a task that is not this one.
    writeSync(3, frame({ type: "result", token: "task_of_somebody_else", output: { text: "0" } }));
    return "mine";
  },
});

export const asks = defineAgent({
  name: "asks",
  module,
  run: async (context) => {
    let streamed = "";
    const { text } = await context.llm("small", {
      prompt: "hello",
      onDelta: (delta) => {
        streamed += delta;
      },
    });
    return { text, streamed };
  },
});

export const countsSteps = defineAgent({
  name: "counts-steps",
  module,
  run: async (context) => {
    const seen = [];
    for (const n of [1, 2, 3]) seen.push(await context.step(`step ${n}`, () => n));
    return seen;
  },
});

/** A Standard Schema without a library. */
const wantsNumber = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) =>
      typeof value?.n === "number"
        ? { value }
        : { issues: [{ message: "expected a number", path: ["n"] }] },
  },
};

export const callsTool = defineAgent({
  name: "calls-tool",
  module,
  tools: {
    double: defineTool({
      name: "double",
      description: "Doubles.",
      input: wantsNumber,
      run: ({ n }) => ({ doubled: n * 2 }),
    }),
  },
  run: async (context, input) => context.tool("double", input),
});

export const returnsDate = defineAgent({
  name: "returns-date",
  module,
  run: () => new Date(Date.UTC(2026, 0, 1)),
});

export const returnsCycle = defineAgent({
  name: "returns-cycle",
  module,
  run: () => {
    const cycle = {};
    cycle.self = cycle;
    return cycle;
  },
});

export const throwsCoded = defineAgent({
  name: "throws-coded",
  module,
  run: () => {
    throw Object.assign(new Error("short and stout"), { code: "TEAPOT", retryable: false });
  },
});

export const throwsText = defineAgent({
  name: "throws-text",
  module,
  run: () => {
    // oxlint-disable-next-line no-throw-literal -- what agents do
    throw "just words";
  },
});

export const endsPolitely = defineAgent({
  name: "ends-politely",
  module,
  run: async (context) => {
    context.log.info("running");
    return new Promise((_, reject) => {
      context.signal.addEventListener("abort", () => reject(context.signal.reason));
    });
  },
  onCancel: (context, { code }) => context.log.info(`onCancel: ${code}`),
});
