import { selectOuter } from "@bridle/budget";
import type { RunRecord } from "@bridle/ports/testing";
/** What happens in a world from its first event to its last: people and faults, then calm, then the end. */
import { keyDayLimit, noAmounts } from "@bridle/protocol";

import type { Fault, Scenario } from "../scenario/scenario.ts";
import { wallStartMs } from "./actor-clock.ts";
import { Overseer } from "./overseer.ts";
import { People } from "./people.ts";
import type { Slot } from "./slot.ts";
import type { World } from "./world.ts";

/** Longest time that a run advances, with some for its looks. */
const runMs = 900_000;
/** Longest time that a task stays behind breakers (B10); its run's clock stands as long as nothing else is in hand. */
const parkedMs = 3_600_000;
/** Most items of a list in these worlds; they may wait one after the other. */
const mostItems = 5;
/** What is reserved by nobody expires within a minute and a reconciliation, by wall clocks that may differ by half a minute. */
const quietMs = 120_000;
const stopMs = 60_000;

export async function tell(world: World): Promise<void> {
  const { scenario, time } = world;
  for (const slot of world.slots) slot.boot();
  const { key } = scenario.perDay ?? {};
  const keyPerDay = key && keyDayLimit(key);
  const people = new People({ time, door: () => world.door, keyPerDay });
  const asked = scenario.runs.map(async (run, index) => {
    await time.sleep(run.at);
    await people.submit(index, run);
  });
  for (const order of scenario.orders) time.at(order.at, () => void people.order(order));
  for (const fault of scenario.faults) plan(world, fault);
  const overseer = new Overseer(world);
  const isCalm = scenario.faults.every(({ kind }) => kind === "provider");
  time.at(isCalm ? 0 : scenario.calmAt, () => overseer.start());
  await Promise.all([...asked, time.sleep(scenario.calmAt)]);
  for (const { actor } of world.slots) actor?.disarm();
  await untilAllEnded(world);
  await untilQuiet(world);
  await theEnd(world);
}

function plan(world: World, fault: Fault): void {
  const { time } = world;
  if (fault.kind === "power") {
    planPowerLoss(world, fault);
    return;
  }
  if (!("actor" in fault) || fault.kind === "drift") return;
  for (const slot of world.slots) {
    const isMeant = fault.actor === slot.name || (fault.kind === "wall" && fault.actor === "all");
    if (isMeant) time.at(fault.at, () => strike(world, slot, fault));
  }
}

function strike(
  { time }: World,
  slot: Slot,
  fault: Extract<Fault, { actor: unknown; at: number }>,
): void {
  const { actor } = slot;
  if (fault.kind === "wall") {
    slot.jumpWall(fault.byMs);
    return;
  }
  if (actor === undefined) return;
  switch (fault.kind) {
    case "crash":
      actor.arm(fault);
      break;
    case "restart":
      void slot.restart(fault.downMs);
      break;
    case "suspend":
      if (fault.call === undefined) actor.suspend();
      else actor.suspendAtCall(fault.call);
      time.at(time.nowMs + fault.forMs, () => actor.resume());
      break;
    case "slow":
    case "away":
      // The weather knows.
      break;
  }
}

function planPowerLoss(world: World, fault: Extract<Fault, { kind: "power" }>): void {
  const { time, witness } = world;
  time.at(Math.max(0, fault.at - fault.lostMs), () => {
    const putBack = world.checkpoint();
    time.at(fault.at, () => {
      for (const slot of world.slots) slot.die(fault.downMs);
      putBack();
      witness.lostTail();
    });
  });
}

/** Somebody looks after what waits for people: goes on with what was paused, gives up what has no money left. */
async function untilAllEnded(world: World): Promise<void> {
  const { time, scenario } = world;
  const resumed = new Map<string, number>();
  const lastMs = scenario.calmAt + runMs + longestChain(scenario) * parkedMs;
  while (unfinished(world).length > 0 && time.nowMs < lastMs) {
    for (const run of unfinished(world)) lookAfter(world, run, resumed);
    // oxlint-disable-next-line no-await-in-loop -- a look every few seconds
    await time.sleep(5000);
  }
}

/** No run has more tasks that wait one after the other. */
function longestChain({ runs }: Scenario): number {
  const counts = runs.map(({ spec }) =>
    spec.tasks.reduce((sum, { forEach }) => sum + (forEach === undefined ? 1 : mostItems), 0),
  );
  return Math.max(1, ...counts);
}

function lookAfter({ store, time }: World, run: RunRecord, resumed: Map<string, number>): void {
  if (run.status !== "PAUSED") return;
  const { runId } = run.submitted;
  const pause = run.log.findLast(({ type }) => type === "run.paused");
  const times = (resumed.get(runId) ?? 0) + 1;
  resumed.set(runId, times);
  const isBroke = pause?.type === "run.paused" && pause.stop !== undefined;
  const at = wallStartMs + time.nowMs;
  const by = "operator";
  void store.inbox.put(
    runId,
    isBroke && times > 1 ? { kind: "cancel", reason: "no money", by } : { kind: "resume", by },
    at,
  );
}

function unfinished({ store }: World): readonly RunRecord[] {
  return [...store.state.runs.values()].filter(({ ended }) => !ended);
}

async function untilQuiet(world: World): Promise<void> {
  const { time, scenario } = world;
  const untilMs = time.nowMs + quietMs;
  const leasesLapsedMs = scenario.calmAt + 11_000;
  const isQuiet = (): boolean =>
    openHolds(world) === 0 && world.store.state.inbox.size === 0 && permits(world).length === 0;
  while (time.nowMs < untilMs && !(isQuiet() && time.nowMs > leasesLapsedMs)) {
    // oxlint-disable-next-line no-await-in-loop -- a look every second
    await time.sleep(1000);
  }
}

function openHolds({ store }: World): number {
  return [...store.state.runs.values()].reduce((sum, { ledger }) => sum + ledger.open.size, 0);
}

function permits({ slots }: World): readonly string[] {
  return slots.flatMap(({ running }) => running?.leftovers() ?? []);
}

/** Everything is stopped in good order; then nothing may be left. */
async function theEnd(world: World): Promise<void> {
  const { time, store, slots, witness, scenario } = world;
  // Looks come on whole seconds, and so do renewals: a moment later one of those may be on its way.
  await time.sleep(scenario.networkMs);
  const stopping = Promise.all(slots.map(async (slot) => slot.stop()));
  await Promise.race([stopping, time.sleep(stopMs)]);
  const runs = [...store.state.runs.values()];
  const ledgers = runs.map(({ ledger }) => ledger);
  witness.see({
    type: "end",
    unfinished: unfinished(world).map(
      ({ submitted, status, log }) => `${submitted.runId} ${status} after ${log.at(-1)?.type}`,
    ),
    reserved: runs.flatMap(({ submitted, ledger }) =>
      [...ledger.envelopes.values()]
        .filter(({ reserved }) => JSON.stringify(reserved) !== JSON.stringify(noAmounts))
        .map(({ reserved }) => ({ runId: submitted.runId, amounts: reserved })),
    ),
    blocks: [...store.state.outer.values()]
      .map((outer) => selectOuter(outer, ledgers, outer.day * 86_400_000))
      .filter(({ given, spent }) => JSON.stringify(given) !== JSON.stringify(spent))
      .map(({ scope }) => scope),
    openHolds: openHolds(world),
    inbox: store.state.inbox.size,
    dueTimers: runs.filter(({ ended }) => ended).reduce((sum, run) => sum + run.timers.size, 0),
    leases: (await store.leases.live("")).map(({ name, holder }) => `${name} of ${holder}`),
    clockTimers: slots.flatMap(({ name, actor }) =>
      actor !== undefined && actor.clock.pendingTimers > 0
        ? [`${name} has ${actor.clock.pendingTimers}`]
        : [],
    ),
    permits: permits(world),
  });
}
