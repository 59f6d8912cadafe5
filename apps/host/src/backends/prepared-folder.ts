/** What a new embedded store starts as: made by this package's build, with the schemas of store and queue. */
export const preparedFolder = new URL("../../dist/pglite.tar.gz", import.meta.url);
