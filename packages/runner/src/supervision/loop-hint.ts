import type { LoopFinding, LoopPattern } from "@bridle/watchdog";

const sentences: Readonly<Record<LoopPattern, (count: number, tool: string) => string>> = {
  repeat: (count, tool) =>
    `The same call of "${tool}" has brought the same result ${count} times in a row.`,
  failing: (count, tool) => `The same call of "${tool}" has failed ${count} times in a row.`,
  ping_pong: (count) => `The same two calls have been made in turn ${count} times.`,
  no_news: (count, tool) =>
    `${count} calls of "${tool}" in a row have brought nothing that was not known, whatever they asked.`,
  text: (count) => `The model has given the same answer ${count} times in a row.`,
};

const advice = {
  nudge: "Do something else, or finish with what is there.",
  block: "It is refused until something else was done.",
  stop: "The task is ended.",
} as const;

/** A finding in words that a person and a model can act on. */
export function loopHint({ pattern, count, tool, reaction }: LoopFinding): string {
  return `${sentences[pattern](count, tool ?? "")} ${advice[reaction]}`;
}
