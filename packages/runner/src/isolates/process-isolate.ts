/**
 * An agent's code in a child process of its own group.
 *
 * I1. What the child sends is parsed before anything else sees it; bytes that are no frame, or a frame that is no message, end
 *     this isolate and nothing else.
 * I2. Reading stops while `pause` holds: a flood fills the pipe, not this process.
 * I3. When the child exits its group is killed before the lifeline is let go, so the group's number is still ours.
 * I4. `onEnd` comes once, after the last message of the child has been delivered.
 */
import type { ChildProcess } from "node:child_process";
import type { Duplex } from "node:stream";

import { fromIsolateSchema } from "@bridle/protocol";
import type { ToIsolate } from "@bridle/protocol";

import { killGroup } from "../scanner/kill-group.ts";
import { encodeFrame, FrameDecoder } from "../wire/frame.ts";
import { captureLines } from "./capture-lines.ts";
import { groupResidentBytes } from "./group-resident-bytes.ts";
import type { Isolate, IsolateEnd, IsolateListener, ReclaimResult } from "./isolate.ts";
import { Leftovers } from "./leftovers.ts";
import { NamespaceLeftovers } from "./namespace-leftovers.ts";
import { findMainProcess } from "./pid-namespace.ts";
import { hasEnvironmentEntry } from "./proc-table.ts";
import { reclaimGroup } from "./reclaim-group.ts";
import { childEntry } from "./spawn-child.ts";

export interface ProcessIsolateOptions {
  readonly child: ChildProcess;
  readonly folder: string;
  /** `NAME=value` of its token. */
  readonly environmentEntry: string;
  /** Then its group's leader is `unshare`, and the agent's process is below that. */
  readonly hasNamespace: boolean;
}

const stderrTailLength = 4096;
/** From the child's exit to its end at the latest. */
const drainMs = 500;

export class ProcessIsolate implements Isolate {
  readonly isolation = "process";
  readonly folder: string;
  tasks = 0;
  readonly #child: ChildProcess;
  readonly #channel: Duplex;
  readonly #lifeline: Duplex;
  readonly #environmentEntry: string;
  readonly #decoder = new FrameDecoder();
  #listener: IsolateListener | undefined;
  #end: IsolateEnd | undefined;
  #fault: string | undefined;
  #stderrTail = "";
  #leftovers: Pick<Leftovers, "look"> | undefined;
  readonly #hasNamespace: boolean;
  #mainPid: number | undefined;
  /** After this its pid may belong to somebody else. */
  #hasExited = false;

  constructor({ child, folder, environmentEntry, hasNamespace }: ProcessIsolateOptions) {
    this.#hasNamespace = hasNamespace;
    this.#child = child;
    this.folder = folder;
    this.#environmentEntry = environmentEntry;
    // Both were asked for as 'pipe', which Node answers with a duplex socket.
    this.#channel = child.stdio[3] as Duplex;
    this.#lifeline = child.stdio[4] as Duplex;
    this.#connect();
  }

  get pid(): number | undefined {
    return this.#mainPid ?? this.groupId;
  }

  get groupId(): number | undefined {
    return this.#child.pid;
  }

  get end(): IsolateEnd | undefined {
    return this.#end;
  }

  get backlogBytes(): number {
    return this.#channel.writableLength;
  }

  send(message: ToIsolate): void {
    if (this.#end === undefined && this.#channel.writable) {
      this.#channel.write(encodeFrame(message));
    }
  }

  listen(listener: IsolateListener | undefined): void {
    this.#listener = listener;
  }

  pause(): void {
    this.#channel.pause();
  }

  resume(): void {
    this.#channel.resume();
  }

  /** It is ready: what it has now is its own. */
  ready(): void {
    const { pid } = this;
    if (pid === undefined) return;
    if (!this.#hasNamespace) {
      this.#leftovers = new Leftovers(pid, this.#environmentEntry);
      return;
    }
    this.#mainPid = findMainProcess(pid, childEntry);
    this.#leftovers = new NamespaceLeftovers(this.#mainPid ?? pid);
  }

  residentBytes(): number | undefined {
    if (this.pid === undefined) return undefined;
    return groupResidentBytes(this.pid, this.#hasNamespace ? 0 : 1);
  }

  hasLeftovers(): boolean {
    return this.#leftovers?.look() ?? false;
  }

  terminate(): void {
    const pid = this.#mainPid;
    if (pid === undefined) this.#child.kill("SIGTERM");
    // It is no child of this process: another may have its number by now.
    else if (hasEnvironmentEntry(pid, this.#environmentEntry)) sendSignal(pid, "SIGTERM");
  }

  /** Ends it for `reason`, which its end then carries. */
  fail(reason: string): void {
    this.#fault ??= reason;
    if (this.groupId !== undefined && !this.#hasExited) killGroup(this.groupId);
  }

  async reclaim(): Promise<ReclaimResult> {
    if (this.#end === undefined) this.#fault ??= "killed";
    const result = await reclaimGroup({
      pid: this.#hasExited ? undefined : this.groupId,
      environmentEntry: this.#environmentEntry,
    });
    this.#lifeline.destroy();
    return result;
  }

  #connect(): void {
    const child = this.#child;
    this.#channel.on("data", (chunk: Buffer) => this.#read(chunk));
    // EPIPE and resets say only that the child is gone: its exit says how (B119).
    for (const stream of child.stdio) stream?.on("error", () => {});
    captureLines(child.stdout, (line) => this.#listener?.onLine("stdout", line));
    captureLines(
      child.stderr,
      (line) => this.#listener?.onLine("stderr", line),
      (text) => {
        this.#stderrTail = (this.#stderrTail + text).slice(-stderrTailLength);
      },
    );
    child.on("error", (error) => this.#finish(undefined, undefined, error.message));
    child.on("exit", (code, signal) => this.#exited(code ?? undefined, signal ?? undefined));
    child.on("close", (code, signal) => this.#finish(code ?? undefined, signal ?? undefined));
  }

  #exited(exitCode: number | undefined, signal: string | undefined): void {
    if (this.groupId !== undefined) killGroup(this.groupId);
    this.#hasExited = true;
    this.#lifeline.destroy();
    this.#channel.resume();
    // A grandchild outside the group can hold the pipes open for ever; what is in them is read by then.
    const timer = setTimeout(() => this.#finish(exitCode, signal), drainMs);
    this.#child.once("close", () => clearTimeout(timer));
  }

  #read(chunk: Buffer): void {
    if (this.#fault !== undefined) return;
    try {
      for (const { message, bytes } of this.#decoder.push(chunk)) {
        const parsed = fromIsolateSchema.safeParse(message);
        if (!parsed.success) throw new Error(`a frame that is no message: ${parsed.error.message}`);
        this.#listener?.onMessage(parsed.data, bytes);
      }
    } catch (error) {
      this.fail(`frame_invalid: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #finish(exitCode: number | undefined, signal: string | undefined, error?: string): void {
    if (this.#end !== undefined) return;
    for (const stream of this.#child.stdio) stream?.destroy();
    this.#end = {
      exitCode,
      signal,
      fault: this.#fault ?? error,
      stderrTail: this.#stderrTail,
    };
    this.#listener?.onEnd(this.#end);
  }
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone between the look and the signal.
  }
}
