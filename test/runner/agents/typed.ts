import { defineAgent } from "@bridle/agent";

interface Wish {
  readonly wish: string;
}

/** Written in TypeScript, run as such. */
export const typed = defineAgent<Wish, string>({
  name: "typed",
  module: import.meta.url,
  run: (_, { wish }): string => wish satisfies string,
});
