import type { IsolateRequest } from "@bridle/protocol";

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onDelta: ((text: string) => void) | undefined;
}

export interface RequestTableOptions {
  readonly send: (id: number, request: IsolateRequest) => void;
}

/** Requests to the supervisor that have no answer yet. */
export class RequestTable {
  readonly #waiting = new Map<number, Waiting>();
  readonly #send: RequestTableOptions["send"];
  #nextId = 1;
  #closedBy: Error | undefined;

  constructor({ send }: RequestTableOptions) {
    this.#send = send;
  }

  /** Resolves with the answer. Rejects with the supervisor's refusal, or at once after `close`. */
  async ask(request: IsolateRequest, onDelta?: (text: string) => void): Promise<unknown> {
    if (this.#closedBy !== undefined) throw this.#closedBy;
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onDelta });
      try {
        this.#send(id, request);
      } catch (error) {
        this.#waiting.delete(id);
        reject(error);
      }
    });
  }

  answer(id: number, value: unknown): void {
    this.#take(id)?.resolve(value);
  }

  refuse(id: number, error: Error): void {
    this.#take(id)?.reject(error);
  }

  delta(id: number, text: string): void {
    try {
      this.#waiting.get(id)?.onDelta?.(text);
    } catch {
      // An author's listener must not end the task: the whole text is in the answer.
    }
  }

  /** Rejects what waits and whatever is asked later. */
  close(error: Error): void {
    this.#closedBy = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}
