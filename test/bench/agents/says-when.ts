import { defineAgent } from "@bridle/agent";

/** Answers with the moment at which its first line ran: wall ms with fractions, comparable between processes of one machine. */
export const saysWhen = defineAgent<unknown, number>({
  name: "says-when",
  module: import.meta.url,
  concurrency: 1,
  run: () => performance.timeOrigin + performance.now(),
});
