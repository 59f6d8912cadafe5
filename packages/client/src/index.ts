export { createClient } from "./create-client.ts";
export type { Client, ClientOptions, ListQuery, SubmitOptions } from "./create-client.ts";
export type { FollowOptions, StreamMessage } from "./follow-run.ts";
export type { Fetch } from "./http.ts";
export { readLog } from "./read-log.ts";
export { SseParser, type SseMessage } from "./sse-parser.ts";
