import type { FleetLog } from "./fleet-log.ts";

type FleetPage = Awaited<ReturnType<FleetLog["read"]>>;

const pageSize = 1000;

/** All that stands in the fleet log after that entry, oldest first. Rejects when the store does not answer. */
export async function* fleetPages(
  fleet: Pick<FleetLog, "read">,
  afterId: number,
): AsyncGenerator<FleetPage> {
  for (let last: number | undefined = afterId; last !== undefined;) {
    // oxlint-disable-next-line no-await-in-loop -- each page starts where the last one ended
    const page: FleetPage = await fleet.read({ afterId: last, limit: pageSize });
    last = page.length < pageSize ? undefined : page.at(-1)?.id;
    yield page;
  }
}
