/**
 * What the scheduler answers the requests of one attempt: which task was spawned, and how a task ended that is waited for (LF-8).
 *
 * K1. The feed makes it fast, the poll makes it sure; one look at a time, for all that is waited for.
 * K2. A store that does not answer is asked again. When nobody waits nothing is looked for: no timer, no subscription.
 * K3. The attempt's stop ends every wait with its reason.
 */
import { SingleFlight } from "@bridle/kernel";
import type { Clock, TimerHandle } from "@bridle/kernel";
import type { Feed, Inbox } from "@bridle/ports";
import type { RunId, TaskId } from "@bridle/protocol";

export interface AnswerDeskOptions {
  readonly inbox: Pick<Inbox, "answers">;
  readonly feed: Pick<Feed, "subscribe">;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly runId: RunId;
  readonly signal: AbortSignal;
}

interface Question {
  /** Whose answer it is: this task's, or one's below it. */
  readonly taskId: TaskId;
  readonly key: string;
  readonly resolve: (answer: string) => void;
  readonly reject: (reason: unknown) => void;
}

export class AnswerDesk {
  readonly #options: AnswerDeskOptions;
  readonly #open = new Set<Question>();
  readonly #looks: SingleFlight;
  #timer: TimerHandle | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(options: AnswerDeskOptions) {
    this.#options = options;
    // What fails is the store, which is asked again at the next poll (K2).
    this.#looks = new SingleFlight(
      async () => this.#look(),
      () => this.#arm(),
    );
    options.signal.addEventListener("abort", () => this.#stop(), { once: true });
  }

  /** Resolves with the answer's JSON text. Rejects with the signal's reason. */
  async until(taskId: TaskId, key: string): Promise<string> {
    this.#options.signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      this.#open.add({ taskId, key, resolve, reject });
      this.#listen();
      this.#looks.request();
    });
  }

  #listen(): void {
    const { feed, runId } = this.#options;
    this.#unsubscribe ??= feed.subscribe("orders", (hinted) => {
      if (hinted === "" || hinted === runId) this.#looks.request();
    });
  }

  async #look(): Promise<void> {
    this.#timer?.cancel();
    const { inbox, runId } = this.#options;
    for (const [taskId, questions] of byTask(this.#open)) {
      const keys = questions.map(({ key }) => key);
      // oxlint-disable-next-line no-await-in-loop -- one task, but for whoever waits for a grandchild
      const answers = await inbox.answers(runId, taskId, keys);
      for (const [index, question] of questions.entries()) this.#answer(question, answers[index]);
    }
    this.#arm();
  }

  #answer(question: Question, answer: string | undefined): void {
    if (answer === undefined) return;
    this.#open.delete(question);
    question.resolve(answer);
  }

  #arm(): void {
    this.#timer?.cancel();
    if (this.#open.size === 0) return this.#release();
    const { clock, everyMs } = this.#options;
    this.#timer = clock.setTimer(everyMs, () => this.#looks.request());
  }

  #release(): void {
    this.#timer?.cancel();
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #stop(): void {
    for (const { reject } of this.#open) reject(this.#options.signal.reason);
    this.#open.clear();
    this.#release();
  }
}

function byTask(questions: Iterable<Question>): ReadonlyMap<TaskId, readonly Question[]> {
  const groups = new Map<TaskId, Question[]>();
  for (const question of questions) {
    const own = groups.get(question.taskId) ?? [];
    own.push(question);
    groups.set(question.taskId, own);
  }
  return groups;
}
