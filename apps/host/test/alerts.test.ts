import { env } from "@bridle/agent";
import { systemClock } from "@bridle/kernel/system";
import type { GuardedRequest } from "@bridle/ports";
import type { Alert } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { openReceivers } from "../src/alerts/open-receivers.ts";
import { signWebhook, webhookKey } from "../src/alerts/sign-webhook.ts";
import { webhooksCheck } from "../src/doctor/webhooks-check.ts";
import { checkConfig } from "../src/index.ts";
import { createSecrets } from "../src/models/secrets.ts";

const secret = `whsec_${btoa("s".repeat(32))}`;
const hook = { url: "https://ops.example.com/hook", secrets: [secret] };

function checked(webhook: object, settings: object = {}) {
  return checkConfig({ alerts: { webhooks: { ops: webhook }, ...settings } }, "x");
}

/** Of each fault its pointer and the start of its words. */
function faultsOf(webhook: object, settings: object = {}): readonly string[] {
  try {
    checked(webhook, settings);
    return [];
  } catch (error) {
    const { issues } = (error as { details: { issues: { pointer: string; message: string }[] } })
      .details;
    return issues.map(({ pointer, message }) => `${pointer} ${message}`);
  }
}

async function receiverOf(
  webhook: object,
  variables: Readonly<Record<string, string>> = {},
  answer = async (_url: string, _request: GuardedRequest) => new Response(null, { status: 204 }),
) {
  const secrets = createSecrets({ env: variables, onSecret: () => undefined });
  const parts = { secrets, fetch: () => answer, clock: systemClock, userAgent: "bridle/test" };
  const [receiver] = await openReceivers(checked(webhook), parts);
  if (receiver === undefined) throw new Error("There is no receiver.");
  return receiver;
}

const alert: Alert = {
  id: "run_1.17",
  name: "budget.exhausted",
  status: "firing",
  severity: "critical",
  subject: "s",
  message: "m",
  count: 1,
  firstAt: 0,
  lastAt: 0,
};

describe("the settings of alerts", () => {
  it.each([
    ["what the documentation shows", { ...hook, secrets: [env("ALERT_SECRET")] }],
    ["http on loopback", { ...hook, url: "http://127.0.0.1:9000/hook" }],
    ["clear text where it is asked for", { ...hook, url: "http://ops/hook", allowHttp: true }],
    ["an address from a variable", { ...hook, url: env("ALERT_URL") }],
  ])("[E4] take %s", (_, webhook) => {
    expect(faultsOf(webhook)).toEqual([]);
  });

  it.each([
    ["clear text", { ...hook, url: "http://ops.example.com/" }, "/url"],
    ["credentials in the address", { ...hook, url: "http://me:pw@127.0.0.1/" }, "/url"],
    [
      "another scheme, whatever is allowed",
      { ...hook, url: "ftp://ops/", allowHttp: true },
      "/url",
    ],
    ["no secret", { ...hook, secrets: [] }, "/secrets"],
    ["a short secret", { ...hook, secrets: ["whsec_c2hvcnQ="] }, "/secrets/0"],
    ["a secret in another form", { ...hook, secrets: ["hunter2"] }, "/secrets/0"],
    ["an alert that there is not", { ...hook, events: ["budget.gone"] }, "/events/0"],
    ["no alert at all", { ...hook, events: [] }, "/events"],
    ["another severity", { ...hook, minSeverity: "bad" }, "/minSeverity"],
    ["no time", { ...hook, timeoutMs: 0 }, "/timeoutMs"],
  ])("[E4] refuse %s, by its place, and never show a secret", (_, webhook, place) => {
    const faults = faultsOf(webhook);
    expect(faults[0]?.split(" ")[0]).toBe(`/alerts/webhooks/ops${place}`);
    expect(faults.join("\n")).not.toMatch(/hunter2|me:pw|c2hvcnQ/);
  });

  it.each([0, 999, 1.5, "60s"])("[E4] refuse repeatMs %j", (repeatMs) => {
    expect(faultsOf(hook, { repeatMs })[0]).toMatch(/^\/alerts\/repeatMs /);
  });

  it("[E4] say what was probably meant", () => {
    expect(faultsOf({ ...hook, event: [] }).join()).toContain('Did you mean "events"?');
  });
});

describe("a receiver", () => {
  it("[E4] is refused at the start when its variable is not set, or holds what cannot be used", async () => {
    const webhook = { ...hook, url: env("URL"), secrets: [env("KEY")] };
    await expect(receiverOf(webhook, { KEY: secret })).rejects.toThrow('env("URL")');
    const unsafe = receiverOf(webhook, { URL: "http://ops/", KEY: secret });
    await expect(unsafe).rejects.toThrow("alerts.webhooks.ops.url");
    const weak = receiverOf(webhook, { URL: hook.url, KEY: "hunter2" });
    await expect(weak).rejects.toThrow("alerts.webhooks.ops.secrets.0");
    await expect(weak).rejects.not.toThrow("hunter2");
  });

  it("[E4] gets what needs somebody, unless it says what it wants", async () => {
    const plain = await receiverOf(hook);
    const choosy = await receiverOf({ ...hook, events: ["run.paused"], minSeverity: "critical" });
    const wanted = ({ wants }: typeof plain, changes: Partial<Alert>) =>
      wants({ ...alert, ...changes });
    expect([wanted(plain, {}), wanted(plain, { severity: "info" })]).toEqual([true, false]);
    expect(wanted(choosy, {})).toBe(false);
    expect(wanted(choosy, { name: "run.paused" })).toBe(true);
    expect(wanted(choosy, { name: "run.paused", severity: "warning" })).toBe(false);
  });

  it("[E4] is sent the same body in every try", async () => {
    const bodies: (string | undefined)[] = [];
    const { send } = await receiverOf(hook, {}, async (_url, { body }) => {
      bodies.push(body);
      return new Response(null, { status: 429, headers: { "retry-after": "7" } });
    });
    const message = { id: alert.id, body: JSON.stringify(alert) };
    const { signal } = new AbortController();
    expect(await send(message, signal)).toEqual({ status: 429, retryAfterMs: 7000 });
    await send(message, signal);
    expect(bodies[0]).toBe(bodies[1]);
    expect(JSON.parse(bodies[0] ?? "")).toEqual({
      type: "alert.firing",
      timestamp: "1970-01-01T00:00:00.000Z",
      data: alert,
    });
  });
});

describe("bridle doctor", () => {
  it("[E4] says which webhook can send, and which wants its variable", async () => {
    const other = { ...hook, secrets: [env("KEY")] };
    const config = checkConfig({ alerts: { webhooks: { ops: hook, other } } }, "x");
    const world = { env: {}, environment: undefined, config, wallMs: 0 };
    const findings = await webhooksCheck.run(world);
    expect(findings.map(({ code, level, details }) => [code, level, details])).toEqual([
      ["webhook_ready", "ok", { webhook: "ops" }],
      ["webhook_unusable", "act", { webhook: "other" }],
    ]);
    expect(findings[1]?.finding).toContain('env("KEY")');
  });
});

describe("a signature", () => {
  it("[E4] is what the specification of Standard Webhooks gives as its example", () => {
    const key = webhookKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    const signable = {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      timestamp: 1_614_265_330,
      body: '{"test": 2432232314}',
    };
    expect(signWebhook(signable, key === undefined ? [] : [key])).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  it.each(["", "whsec_", "whsec_!!!!", `whsec_${btoa("x".repeat(65))}`, btoa("x".repeat(32))])(
    "[E4] takes no secret such as %j",
    (text) => {
      expect(webhookKey(text)).toBeUndefined();
    },
  );

  it.each([24, 25, 26, 32, 33, 63, 64])("[E4] takes a secret of %d bytes", (bytes) => {
    expect(webhookKey(`whsec_${btoa("x".repeat(bytes))}`)).toHaveLength(bytes);
  });
});
