import { fileURLToPath } from "node:url";

/**
 * Path of a built entry next to the module that asks. Whatever is spawned runs plain JS from `dist`, also when the asking module
 * itself runs from `src` (tests, development).
 */
export function entryPath(fromUrl: string, relative: string): string {
  const path = fileURLToPath(new URL(relative, fromUrl));
  return path.replace(/([\\/])src([\\/])(?!.*[\\/]src[\\/])/, "$1dist$2");
}
