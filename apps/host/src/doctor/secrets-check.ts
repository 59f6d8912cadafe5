import { isEnvReference } from "@bridle/agent";

import { createSecrets } from "../models/secrets.ts";
import type { DoctorCheck, Finding } from "./finding.ts";

/** Whether every `env('X')` of a provider has a value. Functions for tokens are not called. */
export const secretsCheck: DoctorCheck = {
  name: "secrets",
  run: async ({ config, env }) => {
    const secrets = createSecrets({ env, onSecret: () => undefined });
    const references = Object.entries(config?.providers ?? {}).flatMap(([provider, { profiles }]) =>
      profiles.flatMap(({ apiKey }) => (isEnvReference(apiKey) ? [{ provider, apiKey }] : [])),
    );
    return Promise.all(
      references.map(async ({ provider, apiKey }): Promise<Finding> => {
        const details = { provider, variable: apiKey.name };
        try {
          await secrets.resolve(apiKey);
        } catch (error) {
          const finding = `Provider ${provider} has no key: ${(error as Error).message}`;
          const todo = `Set ${apiKey.name}, or ${apiKey.name}_FILE to a file that holds it.`;
          return { code: "secret_missing", level: "act", finding, todo, details };
        }
        return {
          code: "secret_set",
          level: "ok",
          finding: `Provider ${provider} has a key.`,
          details,
        };
      }),
    );
  },
};
