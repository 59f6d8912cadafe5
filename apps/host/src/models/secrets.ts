import { readFile } from "node:fs/promises";

import type { ApiKeySource, EnvReference } from "@bridle/agent";
import { bridleError } from "@bridle/protocol";

export interface SecretsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Told of every value before it is used, so that logs can leave it out. */
  readonly onSecret: (value: string) => void;
}

/** Where the supervisor, and nobody else, gets the values that `env('X')` stands for. */
export interface Secrets {
  /**
   * The value of the variable X, or of the file that X_FILE names: the safer of the two, since a process can read its
   * parent's first environment. Rejects with `config_invalid` when neither is set.
   */
  resolve(reference: EnvReference): Promise<string>;
  /** An API key in any of its three forms. */
  apiKey(source: ApiKeySource): Promise<string>;
}

export function createSecrets({ env, onSecret }: SecretsOptions): Secrets {
  async function resolve({ name }: EnvReference): Promise<string> {
    const value = env[name];
    return learned(value === undefined || value === "" ? await readSecretFile(name) : value);
  }

  async function readSecretFile(name: string): Promise<string> {
    const file = env[`${name}_FILE`];
    if (file === undefined || file === "") {
      throw bridleError("config_invalid", {
        message: `The configuration asks for env("${name}"), and neither ${name} nor ${name}_FILE is set.`,
      });
    }
    const text = await readFile(file, "utf8").catch((error: unknown) => {
      const code = String((error as { code?: unknown }).code);
      const message = `${name}_FILE cannot be read (${code}).`;
      throw bridleError("config_unreadable", { message, cause: error });
    });
    return text.trim();
  }

  function learned(value: string): string {
    onSecret(value);
    return value;
  }

  return {
    resolve,
    async apiKey(source) {
      if (typeof source === "string") return learned(source);
      return typeof source === "function" ? learned(await source()) : resolve(source);
    },
  };
}
