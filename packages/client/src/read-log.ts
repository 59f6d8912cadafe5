import type { EventPage } from "@bridle/protocol";

import type { Client } from "./create-client.ts";

/** The most that the server gives at once. */
const pageSize = 1000;

/** Every entry of a run's log so far, oldest first, page by page. Rejects as `events` does. */
export async function readLog(
  client: Pick<Client, "events">,
  runId: string,
): Promise<EventPage["events"]> {
  const entries: EventPage["events"][number][] = [];
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined;) {
    // oxlint-disable-next-line no-await-in-loop -- pages follow each other
    const page: EventPage = await client.events(runId, { afterSeq, limit: pageSize });
    entries.push(...page.events);
    afterSeq = page.next;
  }
  return entries;
}
