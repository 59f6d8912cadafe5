import { openSync } from "node:fs";

import { defineAgent } from "@bridle/agent";

/** In a thread no power of this process ends it: the open of a pipe that nobody writes to. */
export const opensPipe = defineAgent({
  name: "opens-pipe",
  module: import.meta.url,
  isolation: "thread",
  trusted: true,
  run: (_, { path }) => openSync(path, "r"),
});
