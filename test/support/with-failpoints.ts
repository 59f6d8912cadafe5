import type { Store, TaskQueue } from "@bridle/ports";

/** The arrows of the task protocol, in its order, at which a process may die, be late or not be heard. */
export const failpointNames = [
  /** The scheduler commits its decisions. */
  "append",
  "fence",
  "enqueue",
  /** The queue hands a job to a worker. */
  "delivery",
  "claim",
  /** What a worker did goes into the run's log. */
  "journal",
  "reserve",
  "dispatch",
  "settle",
  "finish",
  "job_completion",
  /** The scheduler is given finished attempts: hit only when there are some. */
  "inbox",
] as const;
export type FailpointName = (typeof failpointNames)[number];

/**
 * Told before and after each place. Contract: it may kill the process, wait, or throw: before, the operation is not done;
 * after, it is done and its answer lost. `job_completion` is hit when a handler has succeeded: before its job may end,
 * and after the queue was given the result (it cannot know when the queue has stored it, and nothing hears a throw there).
 */
export type FailpointHit = (point: FailpointName, when: "before" | "after") => void | Promise<void>;

/** The same store and queue, with `hit` called around each place of the task protocol. */
export function withFailpoints(
  store: Store,
  queue: TaskQueue,
  hit: FailpointHit,
): { readonly store: Store; readonly queue: TaskQueue } {
  const ports: Partial<Store> = {
    runs: withHits(store.runs, { commit: "append", journal: "journal" }, hit),
    inbox: withMembers(store.inbox, { read: reading(store.inbox, hit) }),
    attempts: withHits(
      store.attempts,
      { raiseFences: "fence", claim: "claim", finish: "finish" },
      hit,
    ),
    ledger: withHits(
      store.ledger,
      { reserve: "reserve", dispatch: "dispatch", settle: "settle" },
      hit,
    ),
  };
  const work: TaskQueue["work"] = (agent, options) =>
    queue.work(agent, {
      ...options,
      handler: async (job) => {
        await hit("delivery", "before");
        const running = options.handler(job);
        // Heard below, unless the hit throws first.
        running.catch(() => undefined);
        await hit("delivery", "after");
        return completing(running, hit);
      },
    });
  return {
    store: withMembers(store, ports),
    queue: withMembers(withHits(queue, { enqueue: "enqueue" }, hit), { work }),
  };
}

function completing(running: Promise<void>, hit: FailpointHit): Promise<void> {
  const completed = running.then(() => hit("job_completion", "before"));
  // Two turns later than whoever awaits `completed`: by then the queue is at work on it.
  const given = completed.then(() => undefined).then(() => undefined);
  given.then(() => hit("job_completion", "after")).catch(() => undefined);
  return completed;
}

/** Reading changes nothing: before and after are the same, between what was found and who asked. */
function reading(inbox: Store["inbox"], hit: FailpointHit): Store["inbox"]["read"] {
  return async (...args) => {
    const found = await inbox.read(...args);
    if (found.length === 0) return found;
    await hit("inbox", "before");
    await hit("inbox", "after");
    return found;
  };
}

type PointsOf<Port> = Partial<Record<keyof Port, FailpointName>>;

function withHits<Port extends object>(
  port: Port,
  points: PointsOf<Port>,
  hit: FailpointHit,
): Port {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      // A key that is none of the port's finds nothing here.
      const point = points[name as keyof Port];
      if (point === undefined) return member.bind(target) as unknown;
      return async (...args: unknown[]): Promise<unknown> => {
        await hit(point, "before");
        const answer: unknown = await Reflect.apply(member, target, args);
        await hit(point, "after");
        return answer;
      };
    },
  });
}

/** The same object with some members replaced; methods keep their `this`, so instances of classes may be wrapped. */
function withMembers<Subject extends object>(subject: Subject, members: Partial<Subject>): Subject {
  return new Proxy(subject, {
    get(target, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}
