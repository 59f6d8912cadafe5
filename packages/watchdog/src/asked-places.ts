/** A call as it was asked. `texts`: fingerprints of the texts among its arguments, by member. */
export interface AskedThere {
  readonly tool: string;
  readonly texts?: Readonly<Record<string, string>> | undefined;
}

/** Far beyond the steps of a task. */
const mostRemembered = 10_000;

/**
 * Where tools were asked. The member of a tool's arguments that has had the most values is how it is asked; a value of another member
 * is where. `{ pattern, path }`: ten patterns in one folder are wordings of one question, a pattern in another folder is another.
 */
export class AskedPlaces {
  readonly #values = new Map<string, Set<string>>();

  /** Whether the call asks where its tool was not asked before. */
  isElsewhere({ tool, texts = {} }: AskedThere): boolean {
    const members = Object.entries(texts).map(([member, value]) => {
      const values = this.#values.get(keyOf(tool, member));
      return { count: values?.size ?? 0, isNew: values?.has(value) !== true };
    });
    const most = Math.max(...members.map(({ count }) => count));
    return members.some(({ count, isNew }) => isNew && count < most);
  }

  add({ tool, texts = {} }: AskedThere): void {
    for (const [member, value] of Object.entries(texts)) {
      const key = keyOf(tool, member);
      const values = this.#values.get(key) ?? new Set();
      if (values.size < mostRemembered) values.add(value);
      this.#values.set(key, values);
    }
  }
}

function keyOf(tool: string, member: string): string {
  return JSON.stringify([tool, member]);
}
