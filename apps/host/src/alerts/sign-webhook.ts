import { createHmac } from "node:crypto";

import { webhookSecretPattern } from "@bridle/protocol";

/** The bytes that a `whsec_…` secret stands for; undefined when it is none. */
export function webhookKey(secret: string): Buffer | undefined {
  if (!webhookSecretPattern.test(secret)) return undefined;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  return key.length >= 24 && key.length <= 64 ? key : undefined;
}

export interface Signable {
  readonly id: string;
  /** Seconds since the epoch, at which this try is made. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * The headers of Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`, once for each key, so that a receiver that knows
 * any of them can check it. The timestamp is signed, and a receiver refuses one that is older than five minutes.
 */
export function signWebhook(
  { id, timestamp, body }: Signable,
  keys: readonly Buffer[],
): Readonly<Record<string, string>> {
  const signatures = keys.map((key) => {
    const mac = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
    return `v1,${mac}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}
