import { describeIssues } from "@bridle/agent";
import type { AnyAgent, StandardSchema } from "@bridle/agent";
import { CodedError } from "@bridle/kernel";
import type { Clock } from "@bridle/kernel";
import type { FromIsolate, IsolateTask, Payload, WireFault } from "@bridle/protocol";

import { Coalescer } from "../wire/coalescer.ts";
import { putPayload } from "../wire/payload.ts";
import { createContext } from "./create-context.ts";
import { toError, toFault } from "./fault.ts";
import { RequestTable } from "./request-table.ts";
import { toJsonText } from "./to-json-text.ts";

/** Beats leave at most five times a second. */
const beatIntervalMs = 200;

type Beat = Extract<FromIsolate, { type: "beat" }>["beat"];

export interface TaskSessionOptions {
  readonly agent: AnyAgent;
  readonly token: string;
  readonly task: IsolateTask;
  readonly input: unknown;
  readonly clock: Clock;
  readonly folder: string | undefined;
  readonly send: (message: FromIsolate) => void;
}

/** One task inside an isolate: the agent's context, its open requests, and its one last word (`result` or `failed`). */
export class TaskSession {
  readonly requests: RequestTable;
  readonly options: TaskSessionOptions;
  readonly #abort = new AbortController();
  readonly #beats: Coalescer<Beat>;
  #files = 0;
  #isCancelled = false;
  #hint: string | undefined;

  constructor(options: TaskSessionOptions) {
    const { token, send, clock } = options;
    this.options = options;
    this.requests = new RequestTable({
      send: (id, request) => send({ type: "request", token, id, request }),
    });
    this.#beats = new Coalescer(clock, beatIntervalMs, (beat) =>
      send({ type: "beat", token, beat }),
    );
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Runs the agent to its end and says how it ended. Never rejects. */
  async run(): Promise<void> {
    const { agent, input, send, token } = this.options;
    const context = createContext(this);
    let last: FromIsolate;
    try {
      // The registry forgot the agent's own input type; the agent is told what the workflow gave it.
      const output = await agent.run(context as never, input as never);
      last = { type: "result", token, output: this.pack(await checked(agent.output, output)) };
    } catch (error) {
      last = { type: "failed", token, error: toFault(error, "agent_failed") };
    }
    this.#close();
    send(last);
  }

  nudge(hint: string): void {
    this.#hint = hint;
  }

  /** The latest hint, once. */
  takeHint(): string | undefined {
    const hint = this.#hint;
    this.#hint = undefined;
    return hint;
  }

  cancel(reason: WireFault): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    const error = toError(reason, undefined);
    this.requests.close(error);
    this.#abort.abort(error);
    void this.#tellAgent(reason);
  }

  /** Nobody listens any more: whatever the agent still says arms no timer and waits for no answer. */
  abandon(): void {
    this.#close();
  }

  beat(beat: Beat): void {
    if (beat.status === "WAITING") this.#beats.flush();
    this.#beats.push(beat);
  }

  /** JSON text of a value, by file when large. Throws `output_invalid` when it has no JSON form. */
  pack(value: unknown): Payload {
    const json = toJsonText(value);
    if (!json.ok) throw invalid(`The value cannot cross a process boundary: ${json.reason}.`);
    return putPayload(json.text, this.options.folder, `out-${this.options.token}-${++this.#files}`);
  }

  #close(): void {
    this.#beats.close();
    this.requests.close(invalidAfterEnd());
  }

  async #tellAgent(reason: WireFault): Promise<void> {
    try {
      const context = createContext(this);
      await this.options.agent.onCancel?.(context as never, reason);
    } catch (error) {
      const { token, send } = this.options;
      const { message } = toFault(error, "agent_failed");
      send({ type: "log", token, level: "warn", message: `onCancel failed: ${message}` });
    }
  }
}

async function checked(schema: StandardSchema | undefined, output: unknown): Promise<unknown> {
  if (schema === undefined) return output;
  const result = await schema["~standard"].validate(output);
  if (result.issues === undefined) return result.value;
  throw invalid(`The output does not match its schema: ${describeIssues(result.issues)}`);
}

function invalid(message: string): CodedError {
  return new CodedError({ code: "output_invalid", message, retryable: true, status: 422 });
}

function invalidAfterEnd(): CodedError {
  const message = "The task has ended; its context can do nothing more.";
  return new CodedError({ code: "task_ended", message, retryable: false, status: 409 });
}
