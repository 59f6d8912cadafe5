#!/usr/bin/env node
/** The installed command. In the repository and not built, so that `npm ci` finds something to link before the first build. */
import { existsSync } from "node:fs";

const built = new URL("../dist/main.js", import.meta.url);

if (existsSync(built)) await import(built.href);
else {
  process.stderr.write("bridle is not built yet: run `npm run build` in its repository.\n");
  process.exitCode = 1;
}
