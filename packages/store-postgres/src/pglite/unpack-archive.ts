import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const blockBytes = 512;
const directory = "5";

/**
 * Writes a tar archive into a folder. Enough of the format for PGlite's own dumps: files and directories, ustar names.
 * Faster than PGlite's loader, which goes through its emulated file system byte by byte.
 */
export async function unpackArchive(archive: Buffer, folder: string): Promise<void> {
  const files: { path: string; bytes: Buffer }[] = [];
  const folders = new Set([folder]);
  for (let at = 0; at + blockBytes <= archive.length && archive[at] !== 0;) {
    const header = archive.subarray(at, at + blockBytes);
    const size = Number.parseInt(text(header, 124, 12), 8);
    const path = join(folder, text(header, 345, 155), text(header, 0, 100));
    if (text(header, 156, 1) === directory) folders.add(path);
    else {
      folders.add(dirname(path));
      files.push({ path, bytes: archive.subarray(at + blockBytes, at + blockBytes + size) });
    }
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes;
  }
  // oxlint-disable-next-line no-await-in-loop -- parents come before their children
  for (const path of folders) await mkdir(path, { recursive: true, mode: 0o700 });
  await Promise.all(files.map(({ path, bytes }) => writeFile(path, bytes, { mode: 0o600 })));
}

/** A field ends at its first NUL. */
function text(header: Buffer, from: number, length: number): string {
  const field = header.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end === -1 ? length : end).trim();
}
