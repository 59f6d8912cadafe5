/** Agents that cannot be ended by asking: stopped, blocked in native code, or with programs that hide, hold out or run on. */
import { execFileSync, spawn } from "node:child_process";
import { pbkdf2Sync } from "node:crypto";
import { openSync } from "node:fs";

import { defineAgent } from "@bridle/agent";

const module = import.meta.url;

/** Says that it is about to, then does it, without coming back. */
const stubborn = (name, act) =>
  defineAgent({
    name,
    module,
    run: async (context, input) => {
      context.log.info("going");
      // A turn of the loop, so that it is heard.
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
      act(input);
      return new Promise(() => {});
    },
  });

const shell = (script) => spawn("sh", ["-c", script], { stdio: "ignore" });

/** SIGTERM waits until it is continued, which nobody does. */
export const stopsItself = stubborn("stops-itself", () => process.kill(process.pid, "SIGSTOP"));

/** Its lifeline with it. */
export const stopsItsGroup = stubborn("stops-its-group", () => process.kill(0, "SIGSTOP"));

export const waitsForMemory = stubborn("waits-for-memory", () =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
);

export const waitsForProgram = stubborn("waits-for-program", () =>
  execFileSync("sh", ["-c", "trap '' TERM INT HUP; sleep 600 & wait"]),
);

export const hashes = stubborn("hashes", () => pbkdf2Sync("a", "b", 2 ** 31 - 1, 64, "sha512"));

export const opensPipe = stubborn("opens-pipe", ({ path }) => openSync(path, "r"));

/** Each on its own: in the group and deaf, in a session of its own and deaf, and a daemon twice removed and stopped. */
export const leavesThree = stubborn("leaves-three", () => {
  const deaf = "trap '' TERM INT HUP QUIT USR1 USR2";
  shell(`${deaf}; sleep 600 & wait`);
  shell(`exec setsid sh -c "${deaf}; sleep 600 & wait"`);
  shell(`(setsid sh -c '(kill -STOP $$; sleep 600) & exec sleep 600' &) ; exit 0`);
});

/** A daemon whose environment says nothing of whose it is. `name` is found in its arguments. */
const hide = (name) =>
  execFileSync("sh", ["-c", `setsid env -i sleep ${name} </dev/null >/dev/null 2>&1 &`], {
    stdio: "ignore",
  });

export const hides = stubborn("hides", ({ name }) => hide(name));

/** The same, and finishes. */
export const hidesAndFinishes = defineAgent({
  name: "hides-and-finishes",
  module,
  run: (_, { name }) => {
    if (name !== undefined) hide(name);
    return "done";
  },
});

/** A program that starts itself anew in another session every 30 ms and ends: never the same process twice. */
export const hops = stubborn("hops", () => {
  const hop = `sleep 0.03; HOP="$HOP" setsid sh -c "$HOP" & exit 0`;
  spawn("sh", ["-c", hop], { stdio: "ignore", env: { ...process.env, HOP: hop } });
});
