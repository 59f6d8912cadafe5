import { AlertDesk } from "@bridle/alerts";
import type { AlertDeskOptions, SendAlert } from "@bridle/alerts";
import { seededRandom, SimulatedClock } from "@bridle/kernel/testing";
import { createMemoryStore } from "@bridle/ports/testing";
import type { MemoryStore } from "@bridle/ports/testing";
import { alertSchema } from "@bridle/protocol";
import type { Alert, EventOf } from "@bridle/protocol";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

type Answer = number | Error | "never";

/** A receiver that answers as it is told and keeps what it got. */
class Receiver {
  readonly got: Alert[] = [];
  answer: (alert: Alert) => Answer = () => 200;

  readonly send: SendAlert = async ({ id, body }, signal) => {
    const alert = alertSchema.parse(JSON.parse(body));
    expect(alert.id).toBe(id);
    this.got.push(alert);
    const answer = this.answer(alert);
    if (answer instanceof Error) throw answer;
    if (answer !== "never") return { status: answer };
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  };

  get ids(): readonly string[] {
    return this.got.map(({ id }) => id);
  }
}

let clock: SimulatedClock;
let store: MemoryStore;
let receiver: Receiver;
let events: EventOf<"alert">[];

beforeEach(() => {
  clock = new SimulatedClock();
  store = createMemoryStore({ clock });
  receiver = new Receiver();
  events = [];
});

function deskOf(changes: Partial<AlertDeskOptions> = {}): AlertDesk {
  const desk = new AlertDesk({
    store,
    receivers: [receiverOf("ops", receiver)],
    clock,
    random: seededRandom(1),
    bootId: "boot_1",
    redact: (alert) => alert,
    onAlert: (event) => void events.push(event),
    onError: () => undefined,
    ...changes,
  });
  onTestFinished(async () => desk.stop());
  return desk;
}

function receiverOf(name: string, { send }: Receiver) {
  return { name, send, timeoutMs: 10_000, wants: () => true };
}

/** Lets everything that waits for nothing but its turn come to its end. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) {
    // oxlint-disable-next-line no-await-in-loop -- turn by turn is the point
    await Promise.resolve();
  }
}

/** Time passes, a second at a time. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1000) {
    // oxlint-disable-next-line no-await-in-loop -- each second sees what the one before led to
    await settle();
    clock.advance(1000);
  }
  await settle();
}

async function opens(key = "agent:demo/planner"): Promise<void> {
  const opened = { at: clock.wallMs(), tier: "agent", evidence: {}, cooldownMs: 1 } as const;
  await store.fleet.append([
    { type: "breaker.open", key, triggers: ["failure_rate"], openCount: 1, ...opened },
  ]);
}

describe("a desk", () => {
  it("[E4] [LF-12] tells within five seconds, without having been woken", async () => {
    deskOf().start();
    await pass(10_000);
    await opens();
    await pass(5000);
    expect(receiver.ids).toEqual(["fleet.1"]);
    expect(events).toMatchObject([{ type: "alert", id: "fleet.1", name: "breaker.open" }]);
  });

  it("[E4] tells at once when woken", async () => {
    const desk = deskOf();
    desk.start();
    await settle();
    await opens();
    desk.wake();
    await settle();
    expect(receiver.ids).toEqual(["fleet.1"]);
  });

  it("[E4] tries again under the same id until it is taken, then never more", async () => {
    receiver.answer = () => (receiver.got.length < 4 ? 503 : 200);
    deskOf().start();
    await opens();
    await pass(600_000);
    expect(receiver.ids).toEqual(["fleet.1", "fleet.1", "fleet.1", "fleet.1"]);
    const { alerts, pending } = await store.outbox.list(10);
    expect(alerts[0]?.deliveries).toMatchObject([{ status: "delivered", attempts: 4 }]);
    expect(pending).toBe(0);
  });

  it("[E4] gives a silent receiver its time, and others are not kept waiting", async () => {
    const other = new Receiver();
    receiver.answer = () => "never";
    deskOf({ receivers: [receiverOf("ops", receiver), receiverOf("other", other)] }).start();
    await opens("agent:a/1");
    await pass(5000);
    await opens("agent:a/2");
    await pass(4000);
    expect([receiver.ids, other.ids]).toEqual([["fleet.1"], ["fleet.1", "fleet.2"]]);
    await pass(20_000);
    expect(receiver.got.length).toBeGreaterThan(1);
    const { alerts } = await store.outbox.list(10);
    expect(alerts.at(-1)?.deliveries[0]?.error).toBe("No answer within 10000 ms.");
  });

  it("[E4] one that is never taken lets the others pass", async () => {
    receiver.answer = ({ id }) => (id === "fleet.1" ? 500 : 200);
    deskOf().start();
    for (const key of ["agent:a/1", "agent:a/2", "agent:a/3"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await opens(key);
    }
    await pass(60_000);
    const others = receiver.ids.filter((id) => id !== "fleet.1");
    expect(others).toEqual(["fleet.2", "fleet.3"]);
    expect(receiver.ids.length).toBeGreaterThan(3);
  });

  it("[E4] a dead letter is an alert for the others, and shows in the list", async () => {
    const other = new Receiver();
    receiver.answer = () => 410;
    deskOf({ receivers: [receiverOf("ops", receiver), receiverOf("other", other)] }).start();
    await opens();
    await pass(10_000);
    expect(receiver.ids).toEqual(["fleet.1"]);
    expect(other.got.map(({ name }) => name)).toEqual(["breaker.open", "alerts.dead_letter"]);
    expect(await store.outbox.list(10)).toMatchObject({ dead: 1 });
  });

  it("[E4] two receivers that are both away do not tell each other of it for ever", async () => {
    const other = new Receiver();
    receiver.answer = () => 410;
    other.answer = () => 410;
    deskOf({ receivers: [receiverOf("ops", receiver), receiverOf("other", other)] }).start();
    await opens();
    await pass(600_000);
    expect(receiver.got.length).toBeLessThanOrEqual(2);
    expect(other.got.length).toBeLessThanOrEqual(2);
  });

  it("[E4] gives up after a day, and what was for a receiver that is configured no more, too", async () => {
    const first = deskOf({ receivers: [receiverOf("gone", receiver)] });
    receiver.answer = () => 500;
    first.start();
    await opens();
    await pass(3000);
    await first.stop();
    deskOf({ receivers: [], settings: { maxAgeMs: 60_000 } }).start();
    await pass(40_000);
    expect(await store.outbox.list(10)).toMatchObject({ pending: 1, dead: 0 });
    await pass(100_000);
    expect(await store.outbox.list(10)).toMatchObject({ pending: 0, dead: 1 });
  });

  it("[E4] what was raised is brought by the next holder when this one dies with it", async () => {
    receiver.answer = () => "never";
    deskOf().start();
    await opens();
    await pass(3000);
    expect(receiver.ids).toEqual(["fleet.1"]);
    // The first one's process is gone; its lease lapses.
    const next = new Receiver();
    clock.advance(11_000);
    deskOf({ bootId: "boot_2", receivers: [receiverOf("ops", next)] }).start();
    await pass(20_000);
    expect(next.ids).toEqual(["fleet.1"]);
  });

  it("[E4] of two desks only the holder of the lease tells", async () => {
    const other = new Receiver();
    deskOf().start();
    await settle();
    deskOf({ bootId: "boot_2", receivers: [receiverOf("ops", other)] }).start();
    await opens();
    await pass(30_000);
    expect([receiver.ids, other.ids]).toEqual([["fleet.1"], []]);
  });

  it("[E4] a store that is away costs time and no alert", async () => {
    const errors: unknown[] = [];
    deskOf({ onError: (error) => void errors.push(error) }).start();
    await opens();
    store.disconnect();
    await pass(30_000);
    expect(receiver.ids).toEqual([]);
    expect(errors.length).toBeGreaterThan(0);
    store.reconnect();
    await pass(5000);
    expect(receiver.ids).toEqual(["fleet.1"]);
  });

  it("[E4] nothing leaves before it went through the redactor", async () => {
    const redact = (alert: Alert): Alert => ({ ...alert, message: "[redacted]" });
    deskOf({ redact }).start();
    await opens("agent:secret/1");
    await pass(3000);
    expect(receiver.got[0]?.message).toBe("[redacted]");
    expect(events[0]?.message).toBe("[redacted]");
  });

  it("[E4] a receiver gets what it wants, and the list everything", async () => {
    const wants = ({ name }: Alert): boolean => name === "guard.degraded";
    deskOf({ receivers: [{ ...receiverOf("ops", receiver), wants }] }).start();
    await opens();
    await store.fleet.append([
      { type: "guard.degraded", at: clock.wallMs(), guard: "g", reason: "r" },
    ]);
    await pass(3000);
    expect(receiver.got.map(({ name }) => name)).toEqual(["guard.degraded"]);
    expect((await store.outbox.list(10)).alerts).toHaveLength(2);
  });

  it("stops with a request in flight, leaves it pending, and gives the lease back", async () => {
    receiver.answer = () => "never";
    const desk = deskOf();
    desk.start();
    await opens();
    await pass(3000);
    await desk.stop();
    expect(await store.outbox.list(10)).toMatchObject({ pending: 1 });
    expect(await store.leases.live("alerts")).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });
});
