import type { z } from "zod";

import type { ErrorCode } from "../error-table.ts";

/** Every path that is versioned begins with it. */
export const api = "/api/v1";

/** What a key may do. `submit` and `operate` include `read`; `admin` includes all. */
export const scopes = ["read", "submit", "operate", "admin"] as const;
export type Scope = (typeof scopes)[number];

/** One route of the API: what the server checks, and what OpenAPI and the reference page are generated from. */
export interface Route {
  readonly method: "GET" | "POST";
  /** With `:name` for parameters. */
  readonly path: string;
  readonly summary: string;
  /** `open`: no key needed. */
  readonly scope: Scope | "open";
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Further content types of the body, besides JSON. */
  readonly yamlBody?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** Absent: not JSON; `summary` says what. */
  readonly answer?: z.ZodType;
  readonly mediaType?: string;
  /** Codes a caller should expect, besides those of every route. */
  readonly errors: readonly ErrorCode[];
}
