import { joinBytes } from "./protocol-frames.ts";

const errorResponse = 0x45;
/** The severity is an error's first field. */
const severities = ["SPANIC\0", "SFATAL\0"].map((text) => Buffer.from(text));

/**
 * The error after which the database cannot go on, if what it has answered so far holds one. It has to be looked for
 * while the database still speaks: on a server the process would end there, but PGlite then spins for ever in its loop
 * (measured with a full disk), and the thread never runs again.
 */
export function fatalError(chunks: readonly Uint8Array[]): string | undefined {
  const last = chunks.at(-1);
  if (last === undefined || !severities.some((severity) => Buffer.from(last).includes(severity)))
    return undefined;
  // The bytes may be a user's: only an error frame counts.
  const bytes = Buffer.from(joinBytes(chunks));
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
    const isFatal =
      bytes[at] === errorResponse &&
      severities.some((severity) => bytes.subarray(at + 5).indexOf(severity) === 0);
    if (isFatal) return messageOf(bytes.subarray(at + 5, at + 1 + bytes.readInt32BE(at + 1)));
  }
  return undefined;
}

/** Fields are a letter and a text that ends with NUL; `M` is the message. */
function messageOf(fields: Buffer): string {
  const texts = fields.toString("utf8").split("\0");
  return texts.find((text) => text.startsWith("M"))?.slice(1) ?? "The database stopped.";
}
