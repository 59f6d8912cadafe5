import type { FakeRequest } from "./fake-request.ts";

/** Text after `label:` on its own line, as the research agents write their prompts. */
function field(prompt: string, label: string): string | undefined {
  return new RegExp(`^${label}: *(.+)$`, "m").exec(prompt)?.[1]?.trim();
}

function plan(prompt: string): string {
  const topic = field(prompt, "Topic") ?? "the topic";
  return JSON.stringify({
    title: `What is known about ${topic}`,
    queries: [
      `history of ${topic}`,
      `how ${topic} works`,
      `criticism of ${topic}`,
      `future of ${topic}`,
    ],
  });
}

function search(prompt: string): string {
  const query = field(prompt, "Query") ?? "the query";
  return [
    `Findings on "${query}":`,
    "three independent sources agree on the main points,",
    "one contradicts them on the dates,",
    "and none of them is older than five years.",
  ].join(" ");
}

function review(prompt: string): string {
  const count = (prompt.match(/^- /gm) ?? []).length;
  return JSON.stringify({
    verdict: count > 0 ? "accepted" : "incomplete",
    remarks: `${count} summaries read; each names its sources.`,
  });
}

function translate(prompt: string): string {
  return `Auf Deutsch: ${field(prompt, "Text") ?? prompt.slice(0, 200)}`;
}

function write(prompt: string): string {
  const title = field(prompt, "Title") ?? "Report";
  const summaries = [...prompt.matchAll(/^- (.+)$/gm)].map(([, summary]) => summary);
  return [
    `# ${title}`,
    ...summaries.map((summary, index) => `${index + 1}. ${summary}`),
    "Conclusion: the evidence is consistent enough to act on.",
  ].join("\n\n");
}

const answersByTask: Readonly<Record<string, (prompt: string) => string>> = {
  plan,
  search,
  review,
  translate,
  write,
};

/**
 * A useful answer, the same for the same prompt. The first word of the prompt says which of the research workflow's tasks is
 * meant; any other prompt is answered with a sentence about itself.
 */
export function defaultAnswer({ messages }: Pick<FakeRequest, "messages">): string {
  const prompt = messages.findLast(({ role }) => role === "user")?.content ?? "";
  const task = /^[A-Za-z]+/.exec(prompt)?.[0].toLowerCase() ?? "";
  const answer = Object.hasOwn(answersByTask, task) ? answersByTask[task] : undefined;
  return answer?.(prompt) ?? `An answer to: ${prompt.replaceAll(/\s+/g, " ").slice(0, 400)}`;
}
