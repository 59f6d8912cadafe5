import type { SendAlert } from "@bridle/alerts";
import type { Clock } from "@bridle/kernel";
import { TransportError } from "@bridle/ports";
import type { GuardedFetch } from "@bridle/ports";
import { alertSchema } from "@bridle/protocol";

import { signWebhook } from "./sign-webhook.ts";

export interface WebhookSenderOptions {
  readonly url: string;
  /** Newest first. */
  readonly keys: readonly Buffer[];
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly userAgent: string;
}

/**
 * Posts one alert, signed. The body is the same in every try, byte by byte; the timestamp and signature are of the try. No redirect is
 * followed, and nothing of an answer is read but its status and `retry-after`.
 */
export function webhookSender(options: WebhookSenderOptions): SendAlert {
  const { url, keys, fetch, clock, userAgent } = options;
  return async ({ id, body: stored }, signal) => {
    const body = messageOf(stored);
    const timestamp = Math.floor(clock.wallMs() / 1000);
    const headers = {
      "content-type": "application/json",
      "user-agent": userAgent,
      ...signWebhook({ id, timestamp, body }, keys),
    };
    try {
      const response = await fetch(url, { method: "POST", headers, body, signal });
      await response.body?.cancel();
      const { status } = response;
      return { status, retryAfterMs: retryAfterMs(response.headers.get("retry-after")) };
    } catch (error) {
      // A redirect is an answer, only none that is followed.
      if (error instanceof TransportError && error.status !== undefined) {
        return { status: error.status };
      }
      throw error;
    }
  };
}

/** The envelope of Standard Webhooks around an alert as it is stored. */
function messageOf(stored: string): string {
  const data = alertSchema.parse(JSON.parse(stored));
  const timestamp = new Date(data.lastAt).toISOString();
  return JSON.stringify({ type: `alert.${data.status}`, timestamp, data });
}

/** In seconds; a date says less than our own pauses and is not heeded. */
function retryAfterMs(value: string | null): number | undefined {
  return value !== null && /^\d{1,6}$/.test(value) ? Number(value) * 1000 : undefined;
}
