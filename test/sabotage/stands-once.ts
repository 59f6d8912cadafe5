import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Edit } from "./plant.ts";

/** How often the search text stands in the file; 0 also for a file that is not there. */
export function timesFound({ file, find }: Edit, root = "."): number {
  try {
    return readFileSync(join(root, file), "utf8").split(find).length - 1;
  } catch {
    return 0;
  }
}
