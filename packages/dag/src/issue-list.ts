import type { SpecIssue } from "@bridle/protocol";

/** More would not be read, and a hostile spec could name millions. */
const mostIssues = 200;

export interface IssueFields {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
  readonly suggestion?: string | undefined;
}

/** Collects faults; the same fault at the same place counts once. */
export class IssueList {
  readonly #issues: SpecIssue[] = [];
  readonly #seen = new Set<string>();

  add({ pointer, code, message, suggestion }: IssueFields): void {
    const key = `${code} ${pointer} ${message}`;
    if (this.#seen.has(key) || this.full) return;
    this.#seen.add(key);
    const issue = { pointer, code, message };
    this.#issues.push(suggestion === undefined ? issue : { ...issue, suggestion });
    if (this.full) {
      this.#issues.push({
        pointer: "",
        code: "too_many_issues",
        message: `There may be more faults than these ${mostIssues}; correct them and try again.`,
      });
    }
  }

  get full(): boolean {
    return this.#issues.length >= mostIssues;
  }

  get all(): readonly SpecIssue[] {
    return this.#issues;
  }
}
