import { systemClock } from "@bridle/kernel/system";

import { openReceivers } from "../alerts/open-receivers.ts";
import { createSecrets } from "../models/secrets.ts";
import type { DoctorCheck, Finding } from "./finding.ts";

/** Whether each webhook has what it needs to send an alert. Nothing is sent. */
export const webhooksCheck: DoctorCheck = {
  name: "webhooks",
  run: async ({ config, env }) => {
    const webhooks = Object.entries(config?.alerts?.webhooks ?? {});
    const parts = {
      secrets: createSecrets({ env, onSecret: () => undefined }),
      fetch: () => sendNothing,
      clock: systemClock,
      userAgent: "bridle",
    };
    return Promise.all(
      webhooks.map(async ([webhook, settings]): Promise<Finding> => {
        const details = { webhook };
        try {
          await openReceivers({ alerts: { webhooks: { [webhook]: settings } } }, parts);
        } catch (error) {
          const finding = `The webhook ${webhook} cannot send: ${(error as Error).message}`;
          const todo = "Set the variable it names to an https URL, or to whsec_ and base64.";
          return { code: "webhook_unusable", level: "act", finding, todo, details };
        }
        const finding = `The webhook ${webhook} has its address and secrets.`;
        return { code: "webhook_ready", level: "ok", finding, details };
      }),
    );
  },
};

async function sendNothing(): Promise<never> {
  throw new Error("A check sends nothing.");
}
