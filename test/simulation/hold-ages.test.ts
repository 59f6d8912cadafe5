import { describe, expect, it } from "vitest";

import { judge } from "./invariants/doctored-history.ts";
import { livingHoldsLast } from "./invariants/living-holds-last.ts";
import type { Observation } from "./invariants/observation.ts";
import type { ActorName, Fault, Scenario } from "./scenario/scenario.ts";
import { HoldAges } from "./world/hold-ages.ts";
import { tell } from "./world/story.ts";
import { World } from "./world/world.ts";

type Expired = Extract<Observation, { type: "expired" }>;

const owner = "worker-1";
const ender = "scheduler-1";
const held = { isAbandoned: false };
const abandoned = { isAbandoned: true };

describe("the age of a hold", () => {
  function machines() {
    const walls = new Map<ActorName, number>([
      [owner, 0],
      [ender, 0],
    ]);
    let nowMs = 1000;
    const ages = new HoldAges({
      nowMs: () => nowMs,
      machines: () => [...walls].map(([name, wallMs]) => ({ name, wallMs })),
    });
    return {
      ages,
      wait: (ms: number) => {
        nowMs += ms;
      },
      jump: (byMs: number, ...names: readonly ActorName[]) => {
        for (const name of names) walls.set(name, (walls.get(name) ?? 0) + byMs);
      },
    };
  }

  it("is counted from its last renewal, and from its reservation before that", () => {
    const { ages, wait } = machines();
    ages.renewed(["h1", "h2"], owner);
    wait(15_000);
    ages.renewed(["h1"], owner);
    wait(2000);
    expect([ages.ageMs("h1"), ages.ageMs("h2")]).toEqual([2000, 17_000]);
  });

  it("looks greater by as much as its owner's clock was behind when it was dated", () => {
    const { ages, jump } = machines();
    jump(-30_000, owner);
    ages.renewed(["h1"], owner);
    expect(ages.skewMs("h1", ender, held)).toBe(30_000);
    jump(30_000, owner);
    expect(ages.skewMs("h1", ender, held)).toBe(30_000);
    ages.renewed(["h1"], owner);
    expect(ages.skewMs("h1", ender, held)).toBe(0);
  });

  it("looks greater by as much as the clocks came apart since it was dated", () => {
    const { ages, jump } = machines();
    ages.renewed(["h1"], owner);
    jump(2000, ender);
    expect(ages.skewMs("h1", ender, held)).toBe(2000);
  });

  it("looks no greater by a clock that all share", () => {
    const { ages, jump } = machines();
    ages.renewed(["h1"], owner);
    jump(3_600_000, owner, ender);
    expect(ages.skewMs("h1", ender, held)).toBe(0);
  });

  it("looks greater by a clock that all share only to who started after, of what nobody has dated since", () => {
    const { ages, jump, wait } = machines();
    ages.started(ender);
    wait(1000);
    ages.renewed(["h1"], owner);
    jump(3_600_000, owner, ender);
    expect(ages.skewMs("h1", ender, abandoned)).toBe(0);
    wait(1000);
    ages.started(ender);
    expect(ages.skewMs("h1", ender, abandoned)).toBe(3_600_000);
    expect(ages.skewMs("h1", ender, held)).toBe(0);
  });

  it("looks no greater when nobody dated it", () => {
    const { ages, jump } = machines();
    jump(-30_000, owner);
    expect(ages.skewMs("h1", ender, held)).toBe(0);
  });

  it("is counted from the renewal before when the store loses the last one", () => {
    const { ages, wait } = machines();
    ages.renewed(["h1"], owner);
    wait(14_000);
    const putBack = ages.checkpoint();
    wait(1000);
    ages.renewed(["h1"], owner);
    expect(ages.ageMs("h1")).toBe(0);
    putBack();
    expect(ages.ageMs("h1")).toBe(15_000);
  });
});

describe("a hold whose worker died while its call was out", () => {
  const wall: Fault = { kind: "wall", actor: owner, at: 1000, byMs: -30_000 };
  const crash = { kind: "crash", actor: owner, at: 5000, call: 0, when: "before" } as const;

  it("looks half a minute older when its worker's clock was that much behind, and may expire sooner", async () => {
    const { expired, breach } = await played([wall, { ...crash, downMs: 3000 }]);
    expect(expired).toMatchObject({ isOut: true, skewMs: 30_000 });
    expect(expired?.ageMs).toBeLessThan(45_000);
    expect(breach).toBeUndefined();
  });

  it("lasts for its minute when the clocks agree; sooner would be told", async () => {
    const { expired, breach } = await played([{ ...crash, downMs: 3000 }]);
    expect(expired).toMatchObject({ isOut: true, skewMs: 0 });
    expect(expired?.ageMs).toBeGreaterThanOrEqual(60_000);
    expect(breach).toBeUndefined();
    const early = expired === undefined ? [] : [{ ...expired, ageMs: 32_000 }];
    expect(judge(livingHoldsLast(), early)).toContain("expired after 32000 ms");
  });
});

/** One worker and one run of one task, which thinks. */
async function played(faults: readonly Fault[]) {
  const world = new World(scenarioOf(faults));
  const seen: Expired[] = [];
  const see = world.witness.see.bind(world.witness);
  world.witness.see = (observation) => {
    if (observation.type === "expired") seen.push(observation);
    see(observation);
  };
  const { breach } = await world.play(tell);
  return { expired: seen[0], breach };
}

function scenarioOf(faults: readonly Fault[]): Scenario {
  return {
    seed: 1,
    schedulers: 1,
    workers: 1,
    feed: "on",
    networkMs: 0,
    latencyMs: 20,
    pages: 20,
    runs: [
      {
        at: 2000,
        spec: {
          name: "thinking",
          tasks: [
            {
              id: "t1",
              agent: "beta",
              input: { play: "thinks", calls: 1, failures: 0, n: 2 },
              timeout: { task: "4m" },
            },
          ],
          timeout: { run: "15m", step: "2m" },
        },
        input: { size: 0, items: [] },
      },
    ],
    orders: [],
    faults,
    breakers: "patient",
    calmAt: 60_000,
  };
}
