import type { EnvReference } from "@bridle/agent";
import type { AlertReceiver } from "@bridle/alerts";
import type { Clock } from "@bridle/kernel";
import type { GuardedFetch } from "@bridle/ports";
import { alertSeverities, bridleError, isLoopbackOrTls } from "@bridle/protocol";
import type { Alert } from "@bridle/protocol";

import type { Config } from "../config/check-config.ts";
import type { Secrets } from "../models/secrets.ts";
import { webhookKey } from "./sign-webhook.ts";
import { webhookSender } from "./webhook-sender.ts";

type Webhook = NonNullable<NonNullable<Config["alerts"]>["webhooks"]>[string];

export interface ReceiverParts {
  readonly secrets: Secrets;
  /** `allowClearText`: whether http may leave this machine. */
  readonly fetch: (allowClearText: boolean) => GuardedFetch;
  readonly clock: Clock;
  readonly userAgent: string;
}

/** Long enough for a receiver that stores the message before it answers. */
const commonTimeoutMs = 10_000;

/** The configured webhooks. Rejects with `config_invalid` when a variable is not set or holds what cannot be used. */
export async function openReceivers(
  { alerts }: Pick<Config, "alerts">,
  parts: ReceiverParts,
): Promise<readonly AlertReceiver[]> {
  const webhooks = Object.entries(alerts?.webhooks ?? {});
  return Promise.all(webhooks.map(async ([name, webhook]) => openReceiver(name, webhook, parts)));
}

async function openReceiver(
  name: string,
  webhook: Webhook,
  { secrets, fetch, clock, userAgent }: ReceiverParts,
): Promise<AlertReceiver> {
  const { allowHttp = false, timeoutMs = commonTimeoutMs } = webhook;
  const at = `alerts.webhooks.${name}`;
  const url = await valueOf(webhook.url, secrets);
  if (!isUsable(url, allowHttp)) {
    throw invalid(
      `${at}.url: the variable holds no https URL; http is for loopback, or wants allowHttp.`,
    );
  }
  const keys = await Promise.all(
    webhook.secrets.map(async (secret, index) => {
      const key = webhookKey(await secrets.apiKey(secret));
      if (key !== undefined) return key;
      throw invalid(`${at}.secrets.${index}: expected whsec_ and 24 to 64 bytes in base64.`);
    }),
  );
  return {
    name,
    timeoutMs,
    wants: (alert) => isWanted(alert, webhook),
    send: webhookSender({ url, keys, fetch: fetch(allowHttp), clock, userAgent }),
  };
}

async function valueOf(value: string | EnvReference, secrets: Secrets): Promise<string> {
  return typeof value === "string" ? value : secrets.resolve(value);
}

function isUsable(url: string, allowHttp: boolean): boolean {
  if (!URL.canParse(url)) return false;
  return isLoopbackOrTls(url) || (allowHttp && url.startsWith("http:"));
}

/** Without a say: what needs somebody, and nothing that is only good to know. */
function isWanted(
  { name, severity }: Alert,
  { events, minSeverity = "warning" }: Pick<Webhook, "events" | "minSeverity">,
): boolean {
  const isSevere = alertSeverities.indexOf(severity) >= alertSeverities.indexOf(minSeverity);
  return isSevere && (events === undefined || events.includes(name));
}

function invalid(message: string): Error {
  return bridleError("config_invalid", { message });
}
