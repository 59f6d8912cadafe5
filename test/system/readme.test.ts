import { readFile } from "node:fs/promises";

import { expect, it, vi } from "vitest";

import { temporaryFolder } from "../support/temporary-folder.ts";
import { greet } from "./client-example.ts";
import { startHello } from "./host-example.ts";

const text = async (path: string): Promise<string> =>
  readFile(new URL(path, import.meta.url), "utf8");

it("[S1] the READMEs' examples of host and client are the code that runs here", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const running = await startHello(await temporaryFolder());
  const run = await greet(running.url ?? "", running.token);
  await running.stop();

  expect(run).toMatchObject({ status: "COMPLETED", output: { greeting: "Hello, Ada!" } });
  expect(log.mock.calls.at(-1)).toEqual(["run.finished", undefined]);
  log.mockRestore();
  expect(await text("../../apps/host/README.md")).toContain(await text("host-example.ts"));
  expect(await text("../../packages/client/README.md")).toContain(await text("client-example.ts"));
});
