import { defineAgent } from "@bridle/agent";

export interface CrashesInput {
  readonly how?: "throw" | "exit" | "abort" | "stack" | "unhandled" | "later";
}

/** Ends badly, in each way a program can. */
export const crashes = defineAgent<CrashesInput, never>({
  name: "crashes",
  module: import.meta.url,
  run(_ctx, { how = "throw" }) {
    switch (how) {
      case "exit":
        return process.exit(3);
      case "abort":
        return process.abort();
      case "stack":
        return overflow();
      case "unhandled":
        void Promise.reject(new Error("Nobody waits for this promise."));
        return new Promise<never>(() => undefined);
      case "later":
        setTimeout(() => {
          throw new Error("Thrown where nobody can catch it.");
        }, 10);
        return new Promise<never>(() => undefined);
      case "throw":
        throw new Error("The agent gave up.");
    }
  },
});

function overflow(): never {
  return overflow();
}
