import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";

/** Wakes whoever waits for the next sign of life; signs between two waits become one. */
export class ActivityFlag {
  #isSet = false;
  #wake: (() => void) | undefined;

  /** Contract: synchronous, never throws. */
  readonly raise = (): void => {
    this.#isSet = true;
    this.#wake?.();
  };

  /** True once if it was raised since it was last asked. */
  take(): boolean {
    const wasSet = this.#isSet;
    this.#isSet = false;
    return wasSet;
  }

  onRaise(wake: (() => void) | undefined): void {
    this.#wake = wake;
  }
}

type PartReader = ReadableStreamDefaultReader<LanguageModelV3StreamPart>;
type ReadResult = Awaited<ReturnType<PartReader["read"]>>;

/**
 * The stream's parts, with `activity` wherever bytes came that carried none. Each wait costs one promise: racing a pending read
 * against a flood of pings would add a reaction to it per ping.
 */
export async function* readParts(
  reader: PartReader,
  activity: ActivityFlag,
): AsyncGenerator<LanguageModelV3StreamPart | "activity"> {
  for (;;) {
    const read = startRead(reader);
    // oxlint-disable-next-line no-await-in-loop -- a stream is read in order
    while (!(await settledOrRaised(read, activity))) yield "activity";
    // Bytes that brought this part are no sign of their own.
    activity.take();
    if (read.failure !== undefined) throw read.failure.error;
    if (read.result === undefined || read.result.done) return;
    yield read.result.value;
  }
}

interface PendingRead {
  result?: ReadResult;
  failure?: { readonly error: unknown };
  wake?: (() => void) | undefined;
}

function startRead(reader: PartReader): PendingRead {
  const read: PendingRead = {};
  void settle(read, reader);
  return read;
}

/** Never rejects: the failure waits in the read until it is asked for. */
async function settle(read: PendingRead, reader: PartReader): Promise<void> {
  try {
    read.result = await reader.read();
  } catch (error) {
    read.failure = { error };
  }
  read.wake?.();
}

/** True when the read has settled, false when only activity was seen. */
async function settledOrRaised(read: PendingRead, activity: ActivityFlag): Promise<boolean> {
  const isSettled = (): boolean => read.result !== undefined || read.failure !== undefined;
  if (isSettled()) return true;
  if (!activity.take()) {
    await new Promise<void>((resolve) => {
      read.wake = resolve;
      activity.onRaise(resolve);
    });
    activity.onRaise(undefined);
    read.wake = undefined;
  }
  if (isSettled()) return true;
  activity.take();
  return false;
}
