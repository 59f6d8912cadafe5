import { budgetBlowOut } from "@bridle/fake-agents/agents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openWorld, statuses } from "../support/bridle-world.ts";
import type { ApiEvent, BridleWorld } from "../support/bridle-world.ts";
import { caller } from "../support/caller-agent.ts";
import { until } from "../support/until.ts";
import { isSignedWith, startReceiver } from "./webhook-receiver.ts";
import type { Received, WebhookReceiver } from "./webhook-receiver.ts";

/*
 * A run is stopped by a guard while of its webhooks only one works: the others fail, hang, are gone, point elsewhere, or are not there.
 */

const secretOf = (letter: string): string => `whsec_${btoa(letter.repeat(32))}`;
const [oldSecret, newSecret, otherSecret] = [secretOf("o"), secretOf("n"), secretOf("x")];
const label = "what-the-user-asked";

let world: BridleWorld;
let receivers: Readonly<
  Record<"works" | "fails" | "hangs" | "gone" | "points" | "elsewhere", WebhookReceiver>
>;
let runId: string;
let log: readonly ApiEvent[];

beforeAll(async () => {
  const elsewhere = await startReceiver();
  receivers = {
    works: await startReceiver(),
    fails: await startReceiver({ status: 500 }),
    hangs: await startReceiver("hang"),
    gone: await startReceiver({ status: 410 }),
    points: await startReceiver({ status: 307, headers: { location: elsewhere.url } }),
    elsewhere,
  };
  const hook = (url: string) => ({ url, secrets: [newSecret, oldSecret], timeoutMs: 20_000 });
  world = await openWorld({
    agents: [budgetBlowOut, caller],
    models: ["greedy", "steady"],
    script: ({ model, maxTokens = 100 }) =>
      model === "steady"
        ? { type: "answer" }
        : { type: "answer", text: "more ".repeat(2 * maxTokens), ignoreMaxTokens: true },
    config: {
      liveness: { pollMs: 200 },
      alerts: {
        webhooks: {
          works: hook(receivers.works.url),
          fails: hook(receivers.fails.url),
          hangs: { ...hook(receivers.hangs.url), timeoutMs: 500 },
          gone: hook(receivers.gone.url),
          points: hook(receivers.points.url),
          // Nobody listens on port 1.
          absent: hook("http://127.0.0.1:1/hook"),
          choosy: { ...hook(receivers.elsewhere.url), events: ["alerts.overflow"] },
        },
      },
    },
  });
  runId = await world.submit({
    name: "trouble",
    onFailure: "continue",
    // The sixth call of about 259 tokens crosses the line at ninety percent: before the rate limit of ten calls a second ends the task.
    budget: { maxTokens: 1600, onExceeded: "fail" },
    tasks: [
      {
        id: "blow-out",
        agent: "budget-blow-out",
        dependsOn: ["honest"],
        input: { model: "greedy", maxOutputTokens: 100 },
      },
      { id: "honest", agent: "caller", input: { model: "steady", calls: 1, label } },
    ],
  });
  await world.ended(runId);
  log = await world.log(runId);
  await until(() => tripped() !== undefined);
});
afterAll(async () => {
  await world.close();
  await Promise.all(Object.values(receivers).map(async (receiver) => receiver.close()));
});

function tripped(): Received | undefined {
  return receivers.works.got.find(({ message }) => message.data.name === "budget.exhausted");
}

function trip(): Received {
  const received = tripped();
  if (received === undefined) throw new Error("Nobody was told of the trip.");
  return received;
}

/** The first that was tried. */
async function deliveryTo(webhook: string) {
  const { alerts } = await world.client.alerts();
  return alerts
    .flatMap(({ deliveries }) => deliveries)
    .findLast((delivery) => delivery.webhook === webhook && delivery.attempts > 0);
}

describe("a run that a guard stops, with webhooks of which one works", () => {
  test("[E4] [LF-12] tells of the trip, with paid calls, tokens and money so far", () => {
    const { message } = trip();
    const exhausted = log.find(({ type }) => type === "budget.exhausted");
    const id = `${runId}.${exhausted?.seq}`;
    expect(message.type).toBe("alert.firing");
    expect(message.data).toMatchObject({ id, runId, severity: "critical" });
    const { calls, tokens, nanoUsd } = message.data.spent ?? {};
    expect([calls, tokens, nanoUsd].map((amount) => Number(amount) > 0)).toEqual([
      true,
      true,
      true,
    ]);
  });

  test("[E4] signs it so that the reference implementation takes it, with the new secret as with the old, and with no other", () => {
    const received = trip();
    const checks = [newSecret, oldSecret, otherSecret].map((one) => isSignedWith(one, received));
    expect(checks).toEqual([true, true, false]);
    const forged = { ...received, body: received.body.replace("critical", "info") };
    expect(isSignedWith(newSecret, forged)).toBe(false);
  });

  test("[E4] names it by the place of its event in the log, once, the same to all", () => {
    const ids = receivers.works.got.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(ids.length);
    const failed = receivers.fails.got.map(({ headers }) => headers["webhook-id"]);
    expect(ids).toEqual(expect.arrayContaining([...new Set(failed)]));
  });

  test("[E4] ends as it would without them", async () => {
    const view = await world.client.get(runId);
    expect(view.status).toBe("BUDGET_EXCEEDED");
    expect(statuses(view)).toMatchObject({ "blow-out": "BUDGET_EXCEEDED" });
  });

  test.each([
    ["fails", "The receiver answered 500."],
    ["points", "The receiver answered 307."],
    ["hangs", "No answer within 500 ms."],
    ["absent", "Not reached (ECONNREFUSED)."],
  ])("[E4] one that %s is tried again later, and the list says why", async (webhook, error) => {
    await until(async () => (await deliveryTo(webhook)) !== undefined);
    const delivery = await deliveryTo(webhook);
    expect(delivery).toMatchObject({ status: "pending", error });
    expect(delivery?.nextAt).toBeGreaterThan(0);
  });

  test("[E4] one that says it is gone is not asked again, and that is an alert for the others", async () => {
    await until(async () => (await deliveryTo("gone"))?.status === "dead");
    const told = (): boolean =>
      receivers.works.got.some(({ message }) => message.data.name === "alerts.dead_letter");
    await until(told);
    expect((await world.client.alerts()).dead).toBeGreaterThan(0);
  });

  test("[E4] nothing is sent where a redirect points, or to whoever asked for other alerts", () => {
    expect(receivers.elsewhere.got).toEqual([]);
    // The control: the one that points there was asked.
    expect(receivers.points.got.length).toBeGreaterThan(0);
  });

  test("[E4] what is sent holds no prompt, no key and no secret", () => {
    const bodies = receivers.works.got.map(({ body }) => body).join("\n");
    // The control: the prompt went out to the provider, and there are bodies.
    expect(bodies).toContain(runId);
    for (const secret of [label, "not-a-secret", newSecret, oldSecret, "more more"]) {
      expect(bodies).not.toContain(secret);
    }
  });
});
