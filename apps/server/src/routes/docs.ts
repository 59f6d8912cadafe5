import { openApiDocument, routeTable } from "@bridle/protocol";
import type { Route } from "@bridle/protocol";

import type { ApiContext, ApiRequest } from "./route-context.ts";

export async function openapi(_request: ApiRequest, { version }: ApiContext): Promise<unknown> {
  return openApiDocument(version);
}

export async function docs({ reply }: ApiRequest, { version }: ApiContext): Promise<unknown> {
  return reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'")
    .send(docsPage(version));
}

/** A page without scripts, so that it works offline and under a strict content policy. */
function docsPage(version: string): string {
  const routes: readonly Route[] = Object.values(routeTable);
  const rows = routes.map(
    ({ method, path, scope, summary }) =>
      `<tr><td><code>${method} ${escapeHtml(path)}</code><td>${scope}<td>${escapeHtml(summary)}`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Bridle API</title>
<style>body{font:16px/1.5 system-ui;margin:2rem auto;max-width:70rem;padding:0 1rem}td,th{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0}</style>
<h1>Bridle API ${escapeHtml(version)}</h1>
<p>Machine-readable: <a href="/openapi.json">/openapi.json</a>. Send the key as <code>Authorization: Bearer …</code>.</p>
<table><tr><th>Route<th>Scope<th>What it does
${rows.join("\n")}
</table></html>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
