import type { Pool } from "pg";

type Query = (config: object, ...rest: readonly unknown[]) => unknown;

/**
 * Gives every statement that is sent through the pool itself a time to be answered in; after it the statement is rejected and the
 * pool drops its connection. A connection whose other side has vanished without a word (a dead host, a firewall that forgot it)
 * otherwise answers never, and the pool's few are soon all of that kind.
 *
 * Clients taken out with `connect` are left alone: a migration may take its time, and a listener waits for ever by design.
 */
export function boundQueries(pool: Pool, timeoutMs: number): void {
  // Safe: one of `query`'s overloads, which all of them come down to.
  const query = pool.query.bind(pool) as Query;
  const bounded = (first: string | object, ...rest: readonly unknown[]): unknown => {
    if (typeof first === "object" && "submit" in first) return query(first, ...rest);
    const config = typeof first === "string" ? { text: first } : first;
    const [values, ...others] = Array.isArray(rest[0]) ? rest : [undefined, ...rest];
    const given = values === undefined ? {} : { values };
    return query({ ...config, ...given, query_timeout: timeoutMs }, ...others);
  };
  // Safe: takes and answers what every overload does.
  pool.query = bounded as Pool["query"];
}
