import type { JsonObject } from "./dialect.ts";

/** https://docs.anthropic.com/en/api/errors */
const typesByStatus: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

export function anthropicErrorBody(status: number, error: JsonObject): JsonObject {
  const otherwise = status < 500 ? "invalid_request_error" : "api_error";
  const type = typesByStatus[status] ?? otherwise;
  return anthropicError({ type, message: `Scripted failure ${status}.`, ...error });
}

/** As it stands in a body and in a stream. */
export function anthropicError(error: JsonObject): JsonObject {
  const filled = { type: "api_error", message: "Scripted failure.", ...error };
  return { type: "error", error: filled, request_id: "req_fake" };
}
