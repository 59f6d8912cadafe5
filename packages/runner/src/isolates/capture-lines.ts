import type { Readable } from "node:stream";

import { LineCutter } from "./line-cutter.ts";

/** Hears what an isolate prints, line by line; `onText` gets it as it comes. */
export function captureLines(
  stream: Readable | null,
  onLine: (line: string) => void,
  onText: (text: string) => void = () => {},
): void {
  const cutter = new LineCutter(onLine);
  stream?.setEncoding("utf8");
  stream?.on("data", (text: string) => {
    onText(text);
    cutter.push(text);
  });
  stream?.on("end", () => cutter.flush());
}
