import type { Isolation } from "@bridle/agent";
import type { FromIsolate, ToIsolate } from "@bridle/protocol";

/** How an isolate ended. `fault`: it sent something that is no message, or took too much memory. */
export interface IsolateEnd {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly fault: string | undefined;
  /** The last lines of stderr, at most 4 kB: where Node writes file and line of what it could not run. */
  readonly stderrTail: string;
}

export interface ReclaimResult {
  /** No live process or thread of the isolate is left; zombies count as dead (WD-15). */
  readonly gone: boolean;
  readonly leftPids: readonly number[];
}

/** Contract: none of these throws or blocks. */
export interface IsolateListener {
  readonly onMessage: (message: FromIsolate, bytes: number) => void;
  readonly onLine: (stream: "stdout" | "stderr", line: string) => void;
  /** Once, at most. */
  readonly onEnd: (end: IsolateEnd) => void;
}

/** A place where one agent's code runs, one task at a time. */
export interface Isolate {
  readonly isolation: Isolation;
  readonly pid: number | undefined;
  /** Leader of its process group, to be killed as a whole. */
  readonly groupId: number | undefined;
  /** Where values too large for a frame are exchanged; undefined when memory is shared. */
  readonly folder: string | undefined;
  /** Set once it has ended. */
  readonly end: IsolateEnd | undefined;
  /** Tasks it was given so far. */
  tasks: number;
  /** Bytes sent and not yet taken by the other side. */
  readonly backlogBytes: number;
  send(message: ToIsolate): void;
  /** Who hears it from now on; undefined: what it says is dropped. */
  listen(listener: IsolateListener | undefined): void;
  /** Stops and resumes reading, so that a flood fills the pipe instead of this process. */
  pause(): void;
  resume(): void;
  /** Asks it to end (SIGTERM). Threads and inline code are only asked by their abort signal. */
  terminate(): void;
  /** What it holds of the machine's memory; undefined where that is not known by itself. */
  residentBytes(): number | undefined;
  /** Whether something that its tasks started is still there, next to it or on its own. */
  hasLeftovers(): boolean;
  /** Ends it and everything it started, by force. Resolves when nothing is left, or after 2 s with what is. */
  reclaim(): Promise<ReclaimResult>;
}
