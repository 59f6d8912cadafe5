import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { describe, expect, it } from "vitest";

import { answerAtOnce, typesOf } from "../../packages/runner/test/rig.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import {
  alive,
  cast,
  castAgent,
  createProcessRig,
  ended,
  isAlive,
  pidOf,
  tokenOf,
} from "./process-rig.ts";

const quickCancel = { settings: { cancelGraceMs: 300, pollMs: 100 } };

describe("a task in a process of its own", () => {
  it("[X2] gets its input and gives back its output", async () => {
    const rig = await createProcessRig(["echo"]);
    const task = await rig.dispatch({ agent: "echo", input: { a: [1, "😀"] } });
    expect(await ended(rig, task)).toMatchObject({ status: "completed" });
    expect(await rig.output(task)).toEqual({ echo: { a: [1, "😀"] } });
  });

  it("[X2] a warm process takes the next task", async () => {
    // One at a time: the second begins when the first's process has been given back.
    const rig = await createProcessRig([], { agents: [castAgent("pid", cast, 1)] });
    const first = await rig.dispatch({ agent: "pid" });
    const second = await rig.dispatch({ agent: "pid" });
    await ended(rig, first);
    await ended(rig, second);
    expect(await rig.output(second)).toBe(await rig.output(first));
  });

  it("[X2] two tasks at once never share a process", async () => {
    const rig = await createProcessRig(["pid"]);
    const first = await rig.dispatch({ agent: "pid" });
    const second = await rig.dispatch({ agent: "pid" });
    await ended(rig, first);
    await ended(rig, second);
    expect(await rig.output(second)).not.toBe(await rig.output(first));
  });

  it("[X2] values larger than a frame travel both ways", async () => {
    const rig = await createProcessRig(["takes-big-input", "big-output"]);
    const text = "y".repeat(3 * 1024 * 1024);
    const given = await rig.dispatch({ agent: "takes-big-input", input: { text } });
    const taken = await rig.dispatch({ agent: "big-output", input: { megabytes: 4 } });
    await ended(rig, given);
    await ended(rig, taken);
    expect(await rig.output(given)).toBe(text.length);
    expect(((await rig.output(taken)) as string).length).toBe(4 * 1024 * 1024);
  });

  it("[B155] an output of 20 MB fails its task with the limit's name", async () => {
    const rig = await createProcessRig(["big-output"]);
    const task = await rig.dispatch({ agent: "big-output", input: { megabytes: 20 } });
    expect(await ended(rig, task)).toMatchObject({
      status: "failed",
      cause: "limit",
      code: "output_too_large",
    });
  });

  it("[X1] streams a model's text to the agent before the answer", async () => {
    const rig = await createProcessRig(["asks"], { model: answerAtOnce });
    const task = await rig.dispatch({ agent: "asks" });
    await ended(rig, task);
    expect(await rig.output(task)).toEqual({ text: "echo: hello", streamed: "echo: hello" });
  });

  it("[X2] runs an agent written in TypeScript", async () => {
    const module = new URL("./agents/typed.ts", import.meta.url).href;
    const rig = await createProcessRig([], { agents: [castAgent("typed", module)] });
    const task = await rig.dispatch({ agent: "typed", input: { wish: "types" } });
    expect(await ended(rig, task)).toMatchObject({ status: "completed" });
    expect(await rig.output(task)).toBe("types");
  });

  it("[X4] [B199] sees neither keys nor store, only what is on the list", async () => {
    const rig = await createProcessRig(["steals"], {
      environment: {
        PATH: process.env["PATH"],
        LANG: "C.UTF-8",
        OPENAI_API_KEY: "sk-canary",
        BRIDLE_STORE_URL: "postgres://user:canary@host/db",
        BRIDLE_API_KEY: "brd_canary",
        HTTPS_PROXY: "http://user:canary@proxy",
        NODE_OPTIONS: "--no-warnings",
      },
    });
    const task = await rig.dispatch({ agent: "steals" });
    await ended(rig, task);
    const seen = (await rig.output(task)) as Record<string, string>;
    expect(JSON.stringify(seen)).not.toContain("canary");
    expect(
      Object.keys(seen)
        .filter((name) => name !== "PWD")
        .toSorted(),
    ).toEqual(["BRIDLE_ISOLATE", "LANG", "PATH"]);
  });
});

describe("a task that will not stop", () => {
  it("[WD-13] is asked by its signal, its onCancel and SIGTERM before anything is forced", async () => {
    const rig = await createProcessRig(["hears-signals"], quickCancel);
    const task = await rig.dispatch({ agent: "hears-signals" });
    await pidOf(rig, task);
    await rig.cancel(task);
    await ended(rig, task);
    const heard = rig.lines
      .map(({ message }) => message)
      .filter((line) => line.startsWith("heard"));
    expect(heard.toSorted()).toEqual([
      "heard SIGTERM",
      "heard abort cancelled",
      "heard onCancel cancelled",
    ]);
  });

  it.each(["spins", "spins-in-microtasks", "ignores-everything"])(
    "[X3] [WD-13] %s: cancelled, it is gone from the process table while its neighbour finishes",
    async (agent) => {
      const rig = await createProcessRig([agent, "slow-echo"], quickCancel);
      const stubborn = await rig.dispatch({ agent });
      const neighbour = await rig.dispatch({ agent: "slow-echo", input: { ms: 900 } });
      const pid = await pidOf(rig, stubborn);
      const token = tokenOf(pid);
      // The control: it is alive and would stay so.
      expect(alive(token)).toContain(pid);
      await rig.cancel(stubborn);
      const outcome = await ended(rig, stubborn);
      expect(alive(token)).toEqual([]);
      expect(outcome).toMatchObject({ cause: "cancelled" });
      expect(await rig.log(stubborn)).toContainEqual(
        expect.objectContaining({
          type: "task.killed",
          pid,
          signal: "SIGKILL",
          reason: "cancelled",
        }),
      );
      expect(await ended(rig, neighbour)).toMatchObject({ status: "completed" });
      expect(await rig.output(neighbour)).toBe("done");
    },
  );

  it.each(["leaves-grandchild", "leaves-session"])(
    "[B110] [WD-15] %s: what the agent started is gone with it",
    async (agent) => {
      const rig = await createProcessRig([agent], quickCancel);
      const task = await rig.dispatch({ agent });
      const pid = await pidOf(rig, task);
      const token = tokenOf(pid);
      let grandchild = 0;
      await until(() => {
        const line = rig.lines.find(({ message }) => message.startsWith("grandchild"));
        grandchild = Number(line?.message.split(" ")[1]);
        return grandchild > 0;
      });
      expect(isAlive(grandchild)).toBe(true);
      await rig.cancel(task);
      await ended(rig, task);
      expect(isAlive(grandchild)).toBe(false);
      expect(alive(token)).toEqual([]);
    },
  );

  it.each(["leaves-litter", "leaves-daemon"])(
    "[X3] [WD-15] %s: a finished task that left something running does not hand its process on",
    async (agent) => {
      const rig = await createProcessRig([agent]);
      const task = await rig.dispatch({ agent });
      expect(await ended(rig, task)).toMatchObject({ status: "completed" });
      // From itself: by now its process may be gone.
      const { pid, token } = (await rig.output(task)) as { pid: number; token: string };
      await until(() => alive(`BRIDLE_ISOLATE=${token}`).length === 0 && !isAlive(pid));
      expect(alive(`BRIDLE_ISOLATE=${token}`)).toEqual([]);
    },
  );

  it("[X2] an agent whose programs have all ended keeps its warm process", async () => {
    const rig = await createProcessRig([], { agents: [castAgent("runs-program", cast, 1)] });
    const first = await rig.dispatch({ agent: "runs-program" });
    const second = await rig.dispatch({ agent: "runs-program" });
    await ended(rig, first);
    await ended(rig, second);
    expect(await rig.output(second)).toBe(await rig.output(first));
  });

  it("[X5] a task that takes more memory than allowed is ended and says so", async () => {
    const rig = await createProcessRig(["eats-memory"], {
      settings: { isolates: { memoryBytes: 200 * 1024 * 1024 }, cancelGraceMs: 200 },
    });
    const task = await rig.dispatch({ agent: "eats-memory" });
    const outcome = await ended(rig, task);
    expect(outcome).toMatchObject({ cause: "child_crashed", retryable: true });
    expect(outcome.status === "failed" && outcome.message).toMatch(
      /memory; the limit is 209715200/,
    );
  });
});

describe("a process that ends or talks nonsense", () => {
  it.each([
    ["exits", { code: 0 }, { exitCode: 0 }, /exit code 0/],
    ["exits", { code: 3 }, { exitCode: 3 }, /exit code 3/],
    ["exits", { code: 137 }, { exitCode: 137 }, /137.*want of memory/],
    ["kills-itself", null, { signal: "SIGKILL" }, /SIGKILL/],
    ["throws-later", null, { exitCode: 1 }, /exit code 1/],
    ["closes-pipe", null, {}, /process/],
  ])(
    "[B173] [B119] %s %o is a crash with its exit code or signal",
    async (agent, input, evidence, message) => {
      const rig = await createProcessRig([agent, "echo"]);
      const task = await rig.dispatch({ agent, input });
      const outcome = await ended(rig, task);
      expect(outcome).toMatchObject({
        status: "failed",
        cause: "child_crashed",
        code: "child_crashed",
        retryable: true,
        stop: { evidence },
      });
      expect(outcome.status === "failed" && outcome.message).toMatch(message);
      const next = await rig.dispatch({ agent: "echo", input: 1 });
      expect(await ended(rig, next)).toMatchObject({ status: "completed" });
    },
  );

  it("[B173] its last words are in the evidence", async () => {
    const rig = await createProcessRig(["exits"]);
    const task = await rig.dispatch({ agent: "exits", input: { code: 1 } });
    expect(await ended(rig, task)).toMatchObject({
      stop: { evidence: { stderr: "last words\n" } },
    });
  });

  it.each(["writes-garbage", "announces-four-gigabytes"])(
    "[X3] %s: only that process ends; a neighbour goes on",
    async (agent) => {
      const rig = await createProcessRig([agent, "slow-echo"]);
      const neighbour = await rig.dispatch({ agent: "slow-echo", input: { ms: 400 } });
      const task = await rig.dispatch({ agent });
      const pid = await pidOf(rig, task);
      expect(await ended(rig, task)).toMatchObject({
        cause: "child_crashed",
        code: "frame_invalid",
      });
      expect(isAlive(pid)).toBe(false);
      expect(await ended(rig, neighbour)).toMatchObject({ status: "completed" });
    },
  );

  it("[GC-6] a message that names another task is dropped", async () => {
    const rig = await createProcessRig(["answers-twice"]);
    const task = await rig.dispatch({ agent: "answers-twice" });
    await ended(rig, task);
    expect(await rig.output(task)).toBe("mine");
  });

  it("a flood of log lines is bounded, counted, and the task completes", async () => {
    const rig = await createProcessRig(["floods"]);
    const task = await rig.dispatch({ agent: "floods" });
    expect(await ended(rig, task)).toMatchObject({ status: "completed" });
    expect(rig.lines.length).toBeLessThanOrEqual(1001);
    expect(rig.lines.at(-1)?.message).toMatch(/^\d+ more lines were left out/);
  });

  it("[B172] a module that cannot be parsed is tried three times, then broken, with file and line", async () => {
    const folder = await temporaryFolder();
    mkdirSync(folder, { recursive: true });
    const path = join(folder, "broken.mjs");
    writeFileSync(path, "const fine = 1;\nexport const broken = {{ ;\n");
    const rig = await createProcessRig([], {
      agents: [castAgent("broken", pathToFileURL(path).href)],
    });
    const task = await rig.dispatch({ agent: "broken" });
    const outcome = await ended(rig, task);
    expect(outcome).toMatchObject({
      cause: "agent_broken",
      code: "agent_broken",
      retryable: false,
    });
    expect(outcome.status === "failed" && outcome.message).toContain(`${path}:2`);
    expect(outcome.status === "failed" && outcome.message).toContain("SyntaxError");
    expect(typesOf(await rig.log(task))).not.toContain("task.started");
  });

  it("[B172] an agent that its module does not export is named", async () => {
    const rig = await createProcessRig(["nobody"]);
    const task = await rig.dispatch({ agent: "nobody" });
    const outcome = await ended(rig, task);
    expect(outcome.status === "failed" && outcome.message).toMatch(/no agent named "nobody"/);
  });
});
