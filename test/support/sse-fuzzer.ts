/*
 * Everything a network may do to an event stream without changing what it says, and every place at which it may break off.
 * Knows bytes only: what they mean is the business of whoever reads them.
 */

export const lineEnds = ["\n", "\r\n", "\r"] as const;

export interface Spelling {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();

/** The same stream with each line end, with a byte order mark and without. */
export function spellingsOf(lines: readonly string[]): readonly Spelling[] {
  return lineEnds.flatMap((end) =>
    ["", "\uFEFF"].map((mark) => ({
      name: `${JSON.stringify(end)}${mark === "" ? "" : " after a byte order mark"}`,
      bytes: encoder.encode(mark + lines.join(end)),
    })),
  );
}

export type Pieces = readonly Uint8Array[];

/** In two pieces at each offset, with an empty piece between; byte by byte; in threes, which splits every longer character. */
export function splitsOf(bytes: Uint8Array): readonly (readonly [name: string, pieces: Pieces])[] {
  const inTwo = Array.from({ length: bytes.length + 1 }, (_, offset): readonly [string, Pieces] => [
    `split at ${offset}`,
    [bytes.slice(0, offset), new Uint8Array(0), bytes.slice(offset)],
  ]);
  return [...inTwo, ["byte by byte", inParts(bytes, 1)], ["in threes", inParts(bytes, 3)]];
}

function inParts(bytes: Uint8Array, size: number): Pieces {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, index) => bytes.slice(index * size, (index + 1) * size));
}

/** How a stream is over: the server ended it, or the connection broke. */
export type Ending = "ends" | "breaks";

export interface Cut {
  readonly offset: number;
  readonly ending: Ending;
  readonly pieces: Pieces;
}

/** What has come when the stream is over after each of its bytes, in either way. */
export function cutsOf(bytes: Uint8Array): readonly Cut[] {
  const endings: readonly Ending[] = ["ends", "breaks"];
  return Array.from({ length: bytes.length }, (_, offset) => bytes.slice(0, offset)).flatMap(
    (piece, offset) => endings.map((ending) => ({ offset, ending, pieces: [piece] })),
  );
}

/** A response's body that comes in these pieces, one per read. */
export function bodyOf(pieces: Pieces, ending: Ending = "ends"): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream({
    pull: (controller) => {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (ending === "ends") controller.close();
      else controller.error(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
    },
  });
}

/** What a reader made of a stream that broke off. */
export interface Reading {
  readonly text: string;
  /** It took what it had for a whole answer. */
  readonly isComplete: boolean;
  readonly hasFailed: boolean;
}

/**
 * B025, B026: an answer that is complete, a failure with part of it, or a failure with nothing; and complete only behind the
 * finish signal. Undefined when it is one of these.
 */
export function cutFault(
  { text, isComplete, hasFailed }: Reading,
  whole: { readonly text: string; readonly isFinished: boolean },
): string | undefined {
  if (isComplete === hasFailed) return "neither an answer nor a failure, or both";
  if (!whole.text.startsWith(text)) return `said what was never sent: ${JSON.stringify(text)}`;
  if (isComplete && text !== whole.text)
    return `took a part for the whole: ${JSON.stringify(text)}`;
  if (whole.isFinished && !isComplete) return "lost an answer that was finished";
  return undefined;
}
