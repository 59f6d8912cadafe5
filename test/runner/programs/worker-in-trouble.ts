/**
 * A worker in a process of its own, for what would take the test's process down. Argument: the scene. Prints one line per thing that
 * happens.
 *
 * - `retire <pipe>`: an agent's thread opens a pipe without a writer and is cancelled; the worker retires and stops in order.
 * - `hides <name>`: an agent's process, in a PID namespace, starts a daemon that nothing but its arguments tells.
 * - `blocked <agent>`: the agent's process is cancelled, then this process's main loop is blocked for good.
 */
import { defineAgent } from "@bridle/agent";
import { systemClock as clock, systemIds as ids } from "@bridle/kernel/system";

import { createScanner } from "../../../packages/runner/src/index.ts";
import type { Scanner } from "../../../packages/runner/src/index.ts";
import { createRig } from "../../../packages/runner/test/rig.ts";
import { until } from "../../support/until.ts";

const [scene = "", what = ""] = process.argv.slice(2);
const agents = (name: string): string => new URL(`../agents/${name}.js`, import.meta.url).href;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function retire(path: string): Promise<void> {
  const where = { isolation: "thread", trusted: true } as const;
  const agent = defineAgent({
    name: "opens-pipe",
    module: agents("threads"),
    run: () => 0,
    ...where,
  });
  let stop: () => void = () => undefined;
  const retired = new Promise<void>((resolve) => (stop = resolve));
  const rig = await createRig({
    clock,
    ids,
    agents: [agent],
    settings: { cancelGraceMs: 100, pollMs: 50, isolates: { maxStuckThreads: 1 } },
    onRetire: () => stop(),
  });
  await rig.runner.start();
  const task = await rig.dispatch({ agent: agent.name, input: { path } });
  await until(() => rig.lines.some(({ message }) => message === "opening"));
  await rig.cancel(task);
  await retired;
  say("retired");
  await rig.runner.stop(0);
  rig.breakers.close();
  process.exitCode = 75;
  say(`stopped with ${rig.runner.state.stuckThreads}`);
}

async function blocked(name: string): Promise<void> {
  const agent = defineAgent({ name, module: agents("misbehaving"), run: () => 0 });
  const rig = await createRig({
    clock,
    ids,
    agents: [agent],
    scanner: (callbacks) => blocksAfterOrder(createScanner({ clock, slots: 4, ...callbacks })),
    settings: { cancelGraceMs: 300, pollMs: 50 },
  });
  await rig.runner.start();
  const task = await rig.dispatch({ agent: name });
  await until(() => rig.bus.some(({ type }) => type === "task.started"));
  for (const event of rig.bus) if (event.type === "task.started") say(`${event.pid}`);
  await rig.cancel(task);
}

/** Once the main loop has told the watchdog's thread until when it means to have killed, it does nothing any more. */
function blocksAfterOrder(scanner: Scanner): Scanner {
  return {
    get open() {
      return scanner.open;
    },
    watch: (options) => {
      const watch = scanner.watch(options);
      return {
        ...watch,
        orderKill: (ms) => {
          watch.orderKill(ms);
          say("blocked");
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
          say("goes on");
        },
      };
    },
    close: async () => scanner.close(),
  };
}

async function hides(name: string): Promise<void> {
  const agent = defineAgent({ name: "hides", module: agents("stubborn"), run: () => 0 });
  const settings = { isolates: { pidNamespace: true } };
  const rig = await createRig({ clock, ids, agents: [agent], settings });
  await rig.runner.start();
  await rig.dispatch({ agent: agent.name, input: { name } });
  await until(() => rig.lines.some(({ message }) => message === "going"));
  say("going");
}

if (scene === "retire") await retire(what);
else if (scene === "hides") await hides(what);
else await blocked(what);
