/**
 * The compiled file of a module beside this one: a worker thread runs plain JavaScript, also when this module itself
 * runs from source.
 */
export function threadEntry(name: string): URL {
  const own = new URL(import.meta.url);
  const folder = own.pathname.replace(/\/src\/pglite\/[^/]*$/, "/dist/pglite/");
  return folder === own.pathname
    ? new URL(`./${name}.js`, own)
    : new URL(`file://${folder}${name}.js`);
}
