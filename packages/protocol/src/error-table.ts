// oxlint-disable max-lines -- one table, read from top to bottom; splitting it would only hide half of it
import type { ErrorRow } from "@bridle/kernel";

/**
 * Every error Bridle reports: code, what it means, whether trying again can help, and the HTTP status.
 * `docs/reference/errors.md` is held to this table by a test.
 */
export const errorTable = {
  // The door of the API
  spec_invalid: {
    message: "The workflow has errors; each is listed with a pointer to its place.",
    retryable: false,
    status: 422,
  },
  input_invalid: {
    message: "The run's input does not match the workflow's input schema.",
    retryable: false,
    status: 422,
  },
  request_invalid: {
    message: "The request does not have the expected form.",
    retryable: false,
    status: 400,
  },
  body_malformed: { message: "The body is not valid JSON or YAML.", retryable: false, status: 400 },
  body_too_large: { message: "The body is larger than the limit.", retryable: false, status: 413 },
  media_type_unsupported: {
    message: "The content type is not one this route reads.",
    retryable: false,
    status: 415,
  },
  run_not_found: { message: "There is no run with this id.", retryable: false, status: 404 },
  task_not_found: { message: "The run has no task with this id.", retryable: false, status: 404 },
  route_not_found: { message: "There is no such route.", retryable: false, status: 404 },
  run_already_ended: { message: "The run has already ended.", retryable: false, status: 409 },
  run_not_resumable: { message: "The run is not paused.", retryable: false, status: 409 },
  idempotency_conflict: {
    message: "This Idempotency-Key was used for another request.",
    retryable: false,
    status: 409,
  },
  unauthorized: {
    message: "A valid API key or install token is needed.",
    retryable: false,
    status: 401,
  },
  forbidden: {
    message: "This key may not do that, or the request comes from another site.",
    retryable: false,
    status: 403,
  },
  internal: {
    message: "Something broke that should not; the log has the details under this trace id.",
    retryable: true,
    status: 500,
  },
  shutting_down: { message: "This process is shutting down.", retryable: true, status: 503 },

  // Store, queue, start-up
  store_unavailable: { message: "The store does not answer.", retryable: true, status: 503 },
  store_locked: {
    message: "Another process uses this data folder.",
    retryable: false,
    status: 503,
  },
  store_unwritable: {
    message: "The data folder cannot be written.",
    retryable: false,
    status: 503,
  },
  store_full: { message: "The disk that holds the store is full.", retryable: true, status: 507 },
  store_too_new: {
    message: "The store was written by a newer version.",
    retryable: false,
    status: 503,
  },
  store_corrupt: {
    message: "The store holds something that this version cannot read.",
    retryable: false,
    status: 500,
  },
  port_in_use: { message: "The port is already taken.", retryable: false, status: 503 },
  config_unreadable: {
    message: "The configuration file cannot be loaded.",
    retryable: false,
    status: 500,
  },
  config_invalid: {
    message: "The configuration has errors; each is listed with its key.",
    retryable: false,
    status: 500,
  },
  server_unreachable: { message: "The server does not answer.", retryable: true, status: 503 },

  // The protocol between scheduler and worker
  fenced: {
    message: "A newer attempt of this task exists; this one may do nothing more.",
    retryable: false,
    status: 409,
  },
  claim_refused: { message: "This attempt was already claimed.", retryable: false, status: 409 },
  lease_lost: {
    message: "Another scheduler holds this partition now.",
    retryable: false,
    status: 409,
  },
  version_conflict: {
    message: "The run has moved on since it was read.",
    retryable: true,
    status: 409,
  },
  envelope_closed: {
    message: "The run or task was cancelled or has ended: nothing more can be reserved.",
    retryable: false,
    status: 409,
  },

  // Steps and guards
  budget_refused: {
    message: "The envelope cannot pay for this step.",
    retryable: false,
    status: 402,
  },
  day_budget_spent: {
    message: "The installation or the API key has nothing left to spend today.",
    retryable: true,
    status: 429,
  },
  budget_exhausted_degraded: {
    message: "The budget is exhausted, and the run was degraded as far as possible.",
    retryable: false,
    status: 402,
  },
  budget_unavailable: {
    message: "The ledger does not answer; without it no money is spent.",
    retryable: true,
    status: 503,
  },
  price_unknown: {
    message: "The model has no price, so its cost cannot be bounded.",
    retryable: false,
    status: 402,
  },
  breaker_open: {
    message: "The circuit breaker is open; no request was sent.",
    retryable: true,
    status: 503,
  },
  rate_governed: {
    message: "The task calls faster than the governor allows.",
    retryable: true,
    status: 429,
  },
  step_limit: {
    message: "The task has taken as many steps as it may.",
    retryable: false,
    status: 429,
  },
  spawn_limit: {
    message: "The run, or the task, has spawned as many tasks as it may.",
    retryable: false,
    status: 429,
  },
  spawn_invalid: {
    message: "What the task asks to spawn is not a task.",
    retryable: false,
    status: 422,
  },
  spawn_undeclared: {
    message: "The agent does not declare that it spawns tasks of that agent.",
    retryable: false,
    status: 422,
  },
  spawn_conflict: {
    message: "The task has spawned another task under this key.",
    retryable: false,
    status: 409,
  },
  child_failed: {
    message: "A task that this one spawned did not complete.",
    retryable: false,
    status: 424,
  },
  deadline_passed: {
    message: "The call's deadline has passed, so it was not sent.",
    retryable: false,
    status: 504,
  },
  step_timeout: { message: "The step took longer than its timeout.", retryable: true, status: 504 },
  task_timeout: {
    message: "The attempt took longer than the task timeout.",
    retryable: false,
    status: 504,
  },
  run_timeout: { message: "The run took longer than its timeout.", retryable: false, status: 504 },
  task_stalled: {
    message: "The task sent beats but did not advance.",
    retryable: false,
    status: 504,
  },
  task_loop: { message: "The task repeated itself.", retryable: false, status: 504 },
  loop_blocked: {
    message: "The call is refused: it has brought nothing new again and again.",
    retryable: false,
    status: 429,
  },
  wait_cycle: { message: "Tasks wait for each other.", retryable: false, status: 409 },
  cancelled: { message: "Cancelled.", retryable: false, status: 409 },
  agent_failed: { message: "The agent threw an error.", retryable: true, status: 500 },
  agent_broken: { message: "The agent's module cannot be started.", retryable: false, status: 500 },
  agent_unknown: {
    message: "No agent with this name is configured.",
    retryable: false,
    status: 422,
  },
  output_invalid: {
    message: "The agent's output is not JSON or does not match its schema.",
    retryable: true,
    status: 422,
  },
  output_too_large: {
    message: "The agent's output is larger than the limit.",
    retryable: false,
    status: 413,
  },
  worker_lost: { message: "The worker that ran the task is gone.", retryable: true, status: 503 },
  child_crashed: {
    message: "The agent's process ended before it answered.",
    retryable: true,
    status: 500,
  },
  unsafe_to_retry: {
    message: "A step with side effects began and its outcome is not known.",
    retryable: false,
    status: 409,
  },
  tool_unknown: { message: "The agent has no tool with this name.", retryable: false, status: 422 },
  tool_failed: { message: "The tool failed.", retryable: true, status: 502 },
  tool_arguments_invalid: {
    message: "The tool's arguments do not match its schema.",
    retryable: false,
    status: 422,
  },
  frame_invalid: {
    message: "The agent's process sent something that is not a message.",
    retryable: false,
    status: 500,
  },
  expression_invalid: {
    message: "The expression cannot be parsed or is beyond its limits.",
    retryable: false,
    status: 422,
  },
  expression_failed: {
    message: "The expression failed on this run's data.",
    retryable: false,
    status: 422,
  },
  expression_timeout: {
    message: "The expression did not finish in time.",
    retryable: false,
    status: 422,
  },
  foreach_not_a_list: {
    message: "forEach.items did not yield a list.",
    retryable: false,
    status: 422,
  },
  foreach_too_long: {
    message: "forEach.items yielded more items than maxItems.",
    retryable: false,
    status: 422,
  },

  // Model calls
  model_unknown: {
    message: "No model with this name is configured.",
    retryable: false,
    status: 422,
  },
  model_auth: { message: "The provider refused the credential.", retryable: false, status: 502 },
  model_rate_limited: { message: "The provider limits the rate.", retryable: true, status: 429 },
  model_overloaded: { message: "The provider is overloaded.", retryable: true, status: 503 },
  model_server_error: { message: "The provider failed.", retryable: true, status: 502 },
  model_network: { message: "The provider cannot be reached.", retryable: true, status: 502 },
  model_timeout: { message: "The provider did not answer in time.", retryable: true, status: 504 },
  model_bad_request: {
    message: "The provider refused the request as malformed.",
    retryable: false,
    status: 502,
  },
  model_context_overflow: {
    message: "The prompt is larger than the model's window.",
    retryable: false,
    status: 413,
  },
  model_malformed: {
    message: "The provider's answer cannot be read.",
    retryable: true,
    status: 502,
  },
  model_billing: { message: "The provider's account cannot pay.", retryable: false, status: 402 },
  model_not_found: {
    message: "The provider does not know this model.",
    retryable: false,
    status: 404,
  },
  model_refused: {
    message: "The model or its filter refused to answer.",
    retryable: false,
    status: 422,
  },
  model_misconfigured: {
    message: "The provider's address does not answer as a model API.",
    retryable: false,
    status: 502,
  },
  model_failed: { message: "The model call failed.", retryable: true, status: 502 },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;
