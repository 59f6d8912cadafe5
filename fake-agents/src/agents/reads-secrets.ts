import { defineAgent } from "@bridle/agent";

/** Looks for keys where a careless supervisor would leave them (X4): its environment and its own arguments. */
export const readsSecrets = defineAgent<unknown, { readonly found: readonly string[] }>({
  name: "reads-secrets",
  module: import.meta.url,
  run: () => ({
    found: [
      ...Object.entries(process.env).map(([name, value]) => `${name}=${value ?? ""}`),
      ...process.argv,
    ],
  }),
});
