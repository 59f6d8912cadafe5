import { defineTool } from "@bridle/agent";

export interface SearchHit {
  readonly title: string;
  readonly snippet: string;
}

/** Finds the same three pages for the same query, without a network. */
export const webSearch = defineTool<{ readonly q: string }, readonly SearchHit[]>({
  name: "webSearch",
  description: "Searches the web.",
  run: ({ q }) =>
    ["an overview", "a field study", "a dissenting view"].map((kind) => ({
      title: `${q}: ${kind}`,
      snippet: `What ${kind} has to say about ${q}.`,
    })),
});
