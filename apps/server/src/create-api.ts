/**
 * The HTTP side: checks who asks and what, hands on, answers. Decides nothing about runs.
 *
 * 1. A request is looked at in this order: site (Host, Origin), key, scope, then its body; nothing is parsed for someone
 *    who may not ask.
 * 2. Every error leaves as a problem body with a code of the error table; what is not meant for callers becomes `internal`
 *    and goes to the log under the same trace id.
 * 3. `close` refuses new submits and streams at once, ends the open streams, and waits for plain requests in hand, for
 *    `closeMs` at most: for nothing else. A connection on which nothing was asked (browsers open some ahead) is not idle
 *    to Node, and would hold up the end of the whole process; so would a caller that never sends the rest of its body.
 */
import { setMaxListeners } from "node:events";

import { bridleError, defaultLimits, livenessDefaults, routeTable } from "@bridle/protocol";
import type { Route, RouteName } from "@bridle/protocol";
import Fastify from "fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import type { ApiLimits, ApiOptions } from "./api-options.ts";
import { mayDo } from "./http/access.ts";
import type { Principal } from "./http/access.ts";
import { answerUnreadable } from "./http/answer-unreadable.ts";
import { parseJsonBody, parseYamlBody } from "./http/parse-body.ts";
import { codedErrorOf, problemOf, refuseNul, requestInvalid } from "./http/problem-of.ts";
import { refuseForeignRequest } from "./http/refuse-foreign-request.ts";
import { RequestsInHand } from "./http/requests-in-hand.ts";
import { traceIdOf } from "./http/trace-context.ts";
import { handlers } from "./routes/handlers.ts";
import type { ApiContext } from "./routes/route-context.ts";
import { RunWakes } from "./stream/run-wakes.ts";
import { BurnKeeper } from "./views/burn-keeper.ts";
import { BreakerViews } from "./views/fold-breakers.ts";
import { RunViews } from "./views/run-views.ts";

const defaults: ApiLimits = {
  bodyBytes: defaultLimits.bodyBytes,
  pollMs: livenessDefaults.pollMs,
  pingMs: 15_000,
  slowReaderMs: 30_000,
  streams: 1000,
  probeMs: 2000,
  closeMs: 5000,
};

/** Bodies are read with our own schemas. Without this the server loads and readies two compilers: 80 ms of each start. */
const noSchemas = { buildValidator: refuseSchema, buildSerializer: refuseSchema };

function refuseSchema(): never {
  throw new Error("Routes have no schemas of the framework's kind.");
}

const yamlTypes = ["application/yaml", "application/x-yaml", "text/yaml"];
const anyone: Principal = { id: "anyone", scopes: [] };

export interface Api {
  /** Rejects with `port_in_use`. Returns the address that answers, e.g. `http://127.0.0.1:7070`. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>;
  /** For tests: answers without a socket. */
  readonly inject: FastifyInstance["inject"];
  /** Streams open now. */
  readonly streams: number;
  /** Readiness turns red; nothing is closed yet. */
  drain(): void;
  close(): Promise<void>;
}

export function createApi(options: ApiOptions): Api {
  const draining = new AbortController();
  // Every open stream listens for it; their number has a limit of its own.
  setMaxListeners(0, draining.signal);
  const limits = { ...defaults, ...options.limits };
  const context: ApiContext = {
    ...options,
    limits,
    views: new RunViews(options.store),
    breakers: new BreakerViews(options.store),
    burn: new BurnKeeper(options.store.ledger, options.clock),
    wakes: new RunWakes(options.store.feed),
    draining: draining.signal,
  };
  const app = Fastify({
    bodyLimit: limits.bodyBytes,
    logger: false,
    forceCloseConnections: "idle",
    // A breaker's key names a workflow and an agent.
    routerOptions: { maxParamLength: 300 },
    schemaController: { compilersFactory: noSchemas },
    ...answerUnreadable(options.newTraceId),
  });
  const inHand = new RequestsInHand(app.server);
  readBodies(app);
  answerErrors(app, context);
  for (const name of Object.keys(routeTable) as RouteName[]) addRoute(app, name, context);
  return {
    listen: async (address) => {
      const url = await listen(app, address);
      context.burn.start();
      return url;
    },
    inject: app.inject.bind(app),
    get streams() {
      return context.wakes.size;
    },
    drain: () => draining.abort(),
    async close() {
      draining.abort();
      const closed = app.close();
      await inHand.endedWithin(options.clock, limits.closeMs);
      app.server.closeAllConnections();
      await closed;
      context.wakes.close();
      context.burn.close();
    },
  };
}

/** Only what is listed here is read: a form or plain text, which any web page can send, is 415 (B191). */
function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "string" },
    async (_request: FastifyRequest, text: string) => parseJsonBody(text),
  );
  app.addContentTypeParser(
    yamlTypes,
    { parseAs: "string" },
    async (_request: FastifyRequest, text: string) => parseYamlBody(text),
  );
}

function answerErrors(app: FastifyInstance, { log, newTraceId }: ApiContext): void {
  app.setErrorHandler((error, request, reply) => {
    const traceId = traceIdOf(headerOf(request, "traceparent")) ?? newTraceId();
    const coded = codedErrorOf(error);
    if (coded.status >= 500) {
      log.error("request failed", {
        traceId,
        code: coded.code,
        route: request.routeOptions.url,
        error,
      });
    }
    if (coded.code === "unauthorized") void reply.header("www-authenticate", "Bearer");
    const { retryAfterMs } = coded.details;
    if (coded.status === 429 && typeof retryAfterMs === "number") {
      void reply.header("retry-after", String(Math.ceil(retryAfterMs / 1000)));
    }
    return reply
      .code(coded.status)
      .type("application/problem+json")
      .send(JSON.stringify(problemOf(coded, traceId)));
  });
  app.setNotFoundHandler((request) => {
    throw bridleError("route_not_found", {
      message: `There is no route ${request.method} ${request.url.split("?")[0] ?? ""}.`,
    });
  });
}

function addRoute(app: FastifyInstance, name: RouteName, context: ApiContext): void {
  const route: Route = routeTable[name];
  const principals = new WeakMap<FastifyRequest, Principal>();
  app.route({
    method: route.method,
    url: route.path,
    onRequest: async (request) => {
      principals.set(request, await admit(request, route, context));
    },
    handler: async (request, reply) => {
      void reply.code(route.status);
      const principal = principals.get(request) ?? anyone;
      return handlers[name](checked(request, reply, { route, principal, context }), context);
    },
  });
}

async function admit(
  request: FastifyRequest,
  route: Route,
  { site, authenticator }: ApiContext,
): Promise<Principal> {
  refuseForeignRequest(
    {
      host: request.headers.host,
      origin: request.headers.origin,
      fetchSite: headerOf(request, "sec-fetch-site"),
      url: request.url,
    },
    site,
  );
  if (route.scope === "open") return anyone;
  const [, credential] = /^Bearer (\S{1,200})$/i.exec(request.headers.authorization ?? "") ?? [];
  const principal =
    credential === undefined ? undefined : await authenticator.authenticate(credential);
  if (principal === undefined) throw bridleError("unauthorized");
  if (mayDo(principal, route.scope)) return principal;
  throw bridleError("forbidden", {
    message: `This needs the scope "${route.scope}"; the key "${principal.id}" has ${principal.scopes.join(", ")}.`,
  });
}

interface RouteUse {
  readonly route: Route;
  readonly principal: Principal;
  readonly context: ApiContext;
}

function checked(
  request: FastifyRequest,
  reply: FastifyReply,
  { route, principal, context }: RouteUse,
) {
  refuseNul(request.query);
  const query = route.query?.safeParse(request.query);
  if (query?.success === false) throw requestInvalid(query.error, "");
  const traceId = traceIdOf(headerOf(request, "traceparent")) ?? context.newTraceId();
  return {
    // Fastify's parameters are strings.
    params: request.params as Record<string, string>,
    query: query?.data ?? {},
    body: bodyOf(request, route),
    headers: request.headers,
    principal,
    traceId,
    log: context.log.child({ traceId }),
    reply,
  };
}

/** A workflow is checked by the compiler, whose issues point into it; other bodies may be left away when all is optional. */
function bodyOf(request: FastifyRequest, route: Route): unknown {
  if (route.body === undefined || route.yamlBody === true) return request.body;
  const body = route.body.safeParse(request.body ?? {});
  if (!body.success) throw requestInvalid(body.error, "");
  return body.data;
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

async function listen(
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    throw listenError(error, host, port);
  }
}

function listenError(error: unknown, host: string, port: number): unknown {
  const code = (error as { code?: unknown }).code;
  if (code === "EADDRINUSE") {
    return bridleError("port_in_use", {
      message: `Port ${port} on ${host} is already taken. Stop what uses it, or choose another with PORT or --port.`,
      cause: error,
    });
  }
  if (code !== "EACCES" && code !== "EADDRNOTAVAIL") return error;
  return bridleError("config_invalid", {
    message: `Cannot listen on ${host}:${port} (${code}).`,
    cause: error,
  });
}
