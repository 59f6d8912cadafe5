/**
 * A model provider on loopback that speaks OpenAI chat completions and responses and Anthropic messages over real HTTP, streamed and
 * not, and goes wrong as told. It counts what was really asked of it (see `provider-counters.ts`): that, not our own logs, is what
 * tests hold guards to.
 */
import { Desk } from "./desk.ts";
import type { FakeRequest } from "./fake-request.ts";
import { LoopbackServer } from "./loopback-server.ts";
import type { ConnectionBehaviour } from "./loopback-server.ts";
import type { FakeCounters } from "./provider-counters.ts";
import type { FakeScript } from "./script.ts";

export interface FakeProviderOptions {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Default: every request is answered honestly. */
  readonly script?: FakeScript | undefined;
}

export interface FakeProvider {
  /** Base URL for clients, such as `http://127.0.0.1:40123/v1`; Anthropic's own takes it without the `/v1`. */
  readonly url: string;
  counters(): FakeCounters;
  /** Every request since the last reset, oldest first. */
  requests(): readonly FakeRequest[];
  /** Connections that are open now. */
  connections(): number;
  /** Replaces the script for requests to come; lists start from their beginning after `reset`. */
  play(script: FakeScript): void;
  /** What becomes of the next connections, one each; those after them are served. No request of theirs is counted. */
  accept(behaviours: readonly ConnectionBehaviour[]): void;
  /** Lets every reply that hangs go on. */
  release(): void;
  /** Forgets counters and requests. */
  reset(): void;
  close(): Promise<void>;
}

export async function startFakeProvider(options: FakeProviderOptions = {}): Promise<FakeProvider> {
  const desk = new Desk(options.script ?? []);
  const server = new LoopbackServer((request, response) => desk.receive(request, response));
  const port = await server.listen(options.port ?? 0);
  return {
    url: `http://127.0.0.1:${port}/v1`,
    counters: () => desk.counters.snapshot(),
    requests: () => desk.requests,
    connections: () => server.sockets.size,
    play: (script) => desk.play(script),
    accept: (behaviours) => server.behave(behaviours),
    release: () => desk.release(),
    reset: () => desk.reset(),
    close: () => server.close(),
  };
}
