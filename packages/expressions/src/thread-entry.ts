/** The thread's file beside the running one: threads run plain JavaScript, also when this module runs from source. */
export function threadEntry(moduleUrl: string): URL {
  return new URL(
    moduleUrl
      .replace(/\/src\/[^/]+$/, "/dist/evaluator-thread.js")
      .replace(/\/dist\/[^/]+$/, "/dist/evaluator-thread.js"),
  );
}
