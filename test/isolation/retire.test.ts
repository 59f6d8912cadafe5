import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import { temporaryFolder } from "../support/temporary-folder.ts";
import { spawnForTest, whenListening } from "../system/bridle-process.ts";

const config = fileURLToPath(new URL("fixtures/one-stuck-thread.config.js", import.meta.url));
const spec = {
  name: "stuck",
  tasks: [
    {
      id: "task",
      agent: "opens-pipe",
      input: { path: "${{ input.path }}" },
      timeout: { task: "500ms" },
    },
  ],
};

it("[WD-13] an installation whose threads cannot be ended stops in order, so as to be started anew, and its log is whole there", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  const args = ["dev", "--config", config, "--port", "0"];
  const first = spawnForTest({ cwd: folder, args });
  const { client } = await whenListening(first, join(folder, ".bridle"));
  const { runId } = await client.submit(spec, { path });
  // By its own SIGKILL where it would exit: Node would wait for the thread for ever.
  expect(await first.exited).toBe(-1);
  expect(first.child.signalCode).toBe("SIGKILL");
  expect(first.err()).toContain(
    'Stopping, to be started anew: a thread of the agent "opens-pipe" has not ended',
  );
  expect(first.err()).toContain("worker retires");

  const second = spawnForTest({ cwd: folder, args });
  const again = await whenListening(second, join(folder, ".bridle"));
  const { events } = await again.client.events(runId, { afterSeq: 0, limit: 1000 });
  const stopped = events.find(({ type }) => type === "task.stopped");
  expect(stopped).toMatchObject({
    isolation: "thread",
    cause: "task_timeout",
    forced: true,
    left: 1,
  });
});
