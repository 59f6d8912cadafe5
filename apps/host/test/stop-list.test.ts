import { SimulatedClock } from "@bridle/kernel/testing";
import { sequenceIds } from "@bridle/kernel/testing";
import { createSubmit } from "@bridle/orchestrator";
import { createMemoryStore } from "@bridle/ports/testing";
import { describe, expect, it } from "vitest";

import { pauseAfterPowerLoss } from "../src/compose/pause-after-power-loss.ts";
import { StopList } from "../src/compose/stop-list.ts";
import { openBackends } from "../src/index.ts";
import { createSecrets } from "../src/models/secrets.ts";

describe("stopping", () => {
  function start() {
    const clock = new SimulatedClock();
    const seen: string[] = [];
    const stops = new StopList(clock, (part, error) =>
      seen.push(`${part}: ${(error as Error).message}`),
    );
    return { clock, seen, stops };
  }

  it("goes in reverse order of start and survives a part that fails", async () => {
    const { seen, stops, clock } = start();
    for (const name of ["store", "worker", "server"]) {
      stops.add(name, async () => {
        seen.push(name);
        if (name === "worker") throw new Error("broken");
      });
    }
    await stops.stopAll(1000);

    expect(seen).toEqual(["server", "worker", "worker: broken", "store"]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("leaves a part that hangs behind when the time is up, and still stops the rest", async () => {
    const { seen, stops, clock } = start();
    stops.add("store", async () => void seen.push("store"));
    stops.add("worker", async () => new Promise(() => undefined));
    const stopped = stops.stopAll(5000);
    await clock.advanceAsync(4999);
    expect(seen).toEqual([]);
    await clock.advanceAsync(1);
    await stopped;

    expect(seen).toEqual(["worker: did not stop within 5000 ms", "store"]);
  });

  it("stops each part once", async () => {
    const { seen, stops } = start();
    stops.add("store", async () => void seen.push("store"));
    await Promise.all([stops.stopAll(100), stops.stopAll(100)]);
    expect(seen).toEqual(["store"]);
  });
});

describe("secrets", () => {
  it("come from the variable, are told to the log's redactor, and a missing one is named", async () => {
    const hidden: string[] = [];
    const secrets = createSecrets({
      env: { KEY: "sk-123", EMPTY: "" },
      onSecret: (value) => hidden.push(value),
    });
    expect(await secrets.apiKey({ kind: "bridle.env", name: "KEY" })).toBe("sk-123");
    expect(await secrets.apiKey(async () => "token")).toBe("token");
    expect(hidden).toEqual(["sk-123", "token"]);
    await expect(secrets.resolve({ kind: "bridle.env", name: "EMPTY" })).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining("neither EMPTY nor EMPTY_FILE is set"),
    });
  });
});

describe("after a power cut", () => {
  it("every run that had not ended is paused with that reason", async () => {
    const clock = new SimulatedClock();
    const store = createMemoryStore({ clock });
    const ids = sequenceIds();
    const submit = createSubmit({
      store,
      clock,
      ids: { next: () => ids.next("run").replace("_", "_0") },
      newTraceId: () => "t",
      agents: ["a"],
      models: [],
    });
    const spec = { name: "x", tasks: [{ id: "t", agent: "a" }] };
    for (let count = 0; count < 3; count++) await submit({ spec, input: {} });
    const before = (await store.inbox.read(100)).length;

    expect(await pauseAfterPowerLoss(store, 5)).toBe(3);

    const pauses = (await store.inbox.read(100)).slice(before);
    expect(pauses.map(({ message }) => message.kind)).toEqual(["pause", "pause", "pause"]);
  });
});

describe("opening backends", () => {
  it("keeps everything in memory for tests, with one call to close it", async () => {
    const clock = new SimulatedClock();
    const backends = await openBackends({
      storeUrl: "memory:",
      queueUrl: "memory:",
      clock,
      onError: () => undefined,
    });
    await backends.store.ping();
    await backends.close();
    await expect(backends.store.ping()).rejects.toMatchObject({ code: "store_unavailable" });
  });
});
