import { TransportError } from "@bridle/ports";
import type { GuardedRequest } from "@bridle/ports";
import type { Dispatcher } from "undici";

/** Enough to recognise an error object or a page's title. */
const maxBodyCharacters = 4096;

/** Throws, with the connection closed, when the answer is none that may be read (T2, T3). */
export async function refuseAnswer(
  answer: Dispatcher.ResponseData,
  expect: GuardedRequest["expect"],
): Promise<void> {
  const error = redirectFault(answer) ?? statusFault(answer) ?? (await typeFault(answer, expect));
  if (error === undefined) return;
  answer.body.on("error", () => undefined);
  answer.body.destroy();
  throw error;
}

function redirectFault({
  statusCode,
  headers,
}: Dispatcher.ResponseData): TransportError | undefined {
  if (statusCode < 300 || statusCode > 399) return undefined;
  return new TransportError({
    fault: "redirect_refused",
    status: statusCode,
    message: `The provider answered ${statusCode} and points to ${redirectHost(headers["location"])}. Redirects are not followed, since the credential would go there too; set the base URL to the final address.`,
  });
}

/** Scheme and host only: the rest may hold tokens. */
function redirectHost(location: string | string[] | undefined): string {
  if (typeof location !== "string") return "nowhere";
  if (!URL.canParse(location)) return "another path of the same host";
  const url = new URL(location);
  return `${url.protocol}//${url.host}`;
}

function statusFault({ statusCode }: Dispatcher.ResponseData): TransportError | undefined {
  if (statusCode >= 200 && statusCode <= 599) return undefined;
  return new TransportError({
    fault: "invalid_status",
    status: statusCode,
    message: `The provider answered with the status ${statusCode}, which HTTP does not know.`,
  });
}

async function typeFault(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  expect: GuardedRequest["expect"],
): Promise<TransportError | undefined> {
  if (expect === undefined || statusCode > 299) return undefined;
  const type = String(headers["content-type"] ?? "");
  if (type === "" || type.toLowerCase().startsWith("text/event-stream")) return undefined;
  return new TransportError({
    fault: "unexpected_content_type",
    status: statusCode,
    message: `A stream was asked for and ${type} came. Something between here and the provider may be answering in its place, or the base URL is wrong.`,
    bodyText: await startOf(body),
  });
}

async function startOf(body: Dispatcher.ResponseData["body"]): Promise<string> {
  let text = "";
  body.setEncoding("utf8");
  for await (const piece of body) {
    text += String(piece);
    if (text.length >= maxBodyCharacters) break;
  }
  return text.slice(0, maxBodyCharacters);
}
