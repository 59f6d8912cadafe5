import {
  constants,
  openSync,
  readSync,
  closeSync,
  fstatSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import type { Payload } from "@bridle/protocol";

/**
 * JSON text that crosses to or from an isolate: in the frame when small, else through a file of the isolate's own folder.
 *
 * P1. The other side names a file by a bare name of letters, digits, _ and -; it cannot point out of the folder.
 * P2. Reading follows no link, opens no pipe, and refuses a file above the limit before reading it.
 * P3. A file is read once and deleted.
 *
 * Used in the child too: imports types and built-ins only.
 */

/** Above this a value goes by file: a quarter of a frame, so that escaping and a message's other fields always fit. */
const inlineTextLength = 128 * 1024;

export class PayloadFault extends Error {
  override readonly name = "PayloadFault";
  readonly isTooLarge: boolean;
  constructor(message: string, isTooLarge: boolean) {
    super(message);
    this.isTooLarge = isTooLarge;
  }
}

/** `folder` undefined: both sides share memory, everything stays inline. */
export function putPayload(text: string, folder: string | undefined, name: string): Payload {
  if (folder === undefined || text.length <= inlineTextLength) return { text };
  writeFileSync(join(folder, name), text, { flag: "wx", mode: 0o600 });
  return { file: name };
}

export interface TakeOptions {
  readonly folder: string | undefined;
  readonly maxBytes: number;
}

/** The text again. Throws PayloadFault when it is too large, missing, or not a plain file. */
export function takePayload(payload: Payload, { folder, maxBytes }: TakeOptions): string {
  if ("text" in payload) {
    const bytes = Buffer.byteLength(payload.text, "utf8");
    if (bytes > maxBytes) throw tooLarge(bytes, maxBytes);
    return payload.text;
  }
  if (folder === undefined || !/^[A-Za-z0-9_-]{1,64}$/.test(payload.file)) {
    throw new PayloadFault(`"${payload.file}" names no exchange file.`, false);
  }
  return readOnce(join(folder, payload.file), maxBytes);
}

function readOnce(path: string, maxBytes: number): string {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let handle: number;
  try {
    handle = openSync(path, flags);
  } catch (error) {
    throw new PayloadFault(`The exchange file cannot be opened: ${String(error)}`, false);
  }
  try {
    const status = fstatSync(handle);
    if (!status.isFile()) throw new PayloadFault("The exchange file is not a plain file.", false);
    if (status.size > maxBytes) throw tooLarge(status.size, maxBytes);
    return readExactly(handle, status.size);
  } finally {
    closeSync(handle);
    unlinkSync(path);
  }
}

/** The size was checked before; a file that grows meanwhile is read only as far as that. */
function readExactly(handle: number, size: number): string {
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const count = readSync(handle, bytes, filled, size - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.toString("utf8", 0, filled);
}

function tooLarge(bytes: number, maxBytes: number): PayloadFault {
  return new PayloadFault(`The value has ${bytes} bytes; the limit is ${maxBytes}.`, true);
}
