import { z } from "zod";

import { problemSchema } from "../api.ts";
import { errorTable } from "../error-table.ts";
import type { ErrorCode } from "../error-table.ts";
import { commonErrors, routeTable } from "./route-table.ts";
import type { Route } from "./route.ts";

type Json = Readonly<Record<string, unknown>>;

/** The API as an OpenAPI 3.1 document, from the same schemas the server checks with. */
export function openApiDocument(version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [operationId, route] of Object.entries(routeTable)) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(operationId, route);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Bridle", version, license: { name: "MIT", identifier: "MIT" } },
    paths,
    components: {
      securitySchemes: { key: { type: "http", scheme: "bearer" } },
      schemas: { Problem: jsonSchema(problemSchema, "output") },
    },
  };
}

function operationOf(operationId: string, route: Route): Json {
  return {
    operationId,
    summary: route.summary,
    security: route.scope === "open" ? [] : [{ key: [route.scope] }],
    parameters: parametersOf(route),
    ...(route.body === undefined ? {} : { requestBody: requestBodyOf(route.body, route) }),
    responses: { [route.status]: answerOf(route), ...problemsOf(route) },
  };
}

function parametersOf(route: Route): readonly Json[] {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(route.query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: false,
    // A zod object's shape holds zod schemas; its type parameter is lost in the route table.
    schema: jsonSchema(schema as z.ZodType, "input"),
  }));
  const inHeader = Object.entries(route.headers ?? {}).map(([name, description]) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string" },
  }));
  return [...inPath, ...inQuery, ...inHeader];
}

function requestBodyOf(body: z.ZodType, route: Route): Json {
  const schema = { schema: jsonSchema(body, "input") };
  return {
    required: route.yamlBody === true,
    content: {
      "application/json": schema,
      ...(route.yamlBody === true ? { "application/yaml": { schema: {} } } : {}),
    },
  };
}

function answerOf(route: Route): Json {
  const description = route.answer === undefined ? route.summary : "Done.";
  if (route.answer !== undefined) {
    return {
      description,
      content: { "application/json": { schema: jsonSchema(route.answer, "output") } },
    };
  }
  return { description, content: { [route.mediaType ?? "text/plain"]: {} } };
}

/** One answer per status, naming its codes. */
function problemsOf(route: Route): Record<string, Json> {
  const codes = route.scope === "open" ? [...route.errors] : [...route.errors, ...commonErrors];
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [
      status,
      {
        description: same.map((code) => `\`${code}\`: ${errorTable[code].message}`).join(" "),
        content: {
          "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
        },
      },
    ]),
  );
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
