import { defineAgent } from "@bridle/agent";

export interface FloodsOutputInput {
  readonly megabytes?: number;
  readonly where?: "stdout" | "log" | "beats";
}

const line = "x".repeat(1023);

/** Says far too much: on its output, in its log, or with its beats. Then it answers as if nothing had been. */
export const floodsOutput = defineAgent<FloodsOutputInput, { readonly megabytes: number }>({
  name: "floods-output",
  module: import.meta.url,
  run(ctx, { megabytes = 64, where = "stdout" }) {
    for (let kilobyte = 0; kilobyte < megabytes * 1024; kilobyte += 1) {
      if (where === "stdout") process.stdout.write(`${line}\n`);
      else if (where === "log") ctx.log.info(line);
      else ctx.heartbeat({ progress: line.slice(0, 256) });
    }
    return { megabytes };
  },
});
