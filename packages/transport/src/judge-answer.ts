import { TransportError } from "@bridle/ports";

import { TransportFailure } from "./transport-failure.ts";

/** What came, before its body is handed out. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The start of the body, for the error. */
  readonly start: () => Promise<string>;
}

export interface Expectation {
  readonly method: string;
  readonly expect: "event-stream" | undefined;
  /** Whoever asks cannot judge the body: a page or a bare `null` is no answer of a model. */
  readonly isDropIn: boolean;
}

type Judge = (
  answer: Answer,
  expectation: Expectation,
) => Error | undefined | Promise<Error | undefined>;

const judges: readonly Judge[] = [
  redirectFault,
  statusFault,
  encodingFault,
  typeFault,
  pageFault,
  emptyFault,
];

/** Why the answer may not be read; undefined when it may. */
export async function judgeAnswer(
  answer: Answer,
  expectation: Expectation,
): Promise<Error | undefined> {
  for (const judge of judges) {
    // oxlint-disable-next-line no-await-in-loop -- the first fault counts; later judges rely on it
    const fault = await judge(answer, expectation);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function redirectFault({ status, headers }: Answer): Error | undefined {
  if (status < 300 || status > 399) return undefined;
  return new TransportError({
    fault: "redirect_refused",
    status,
    message: `The provider answered ${status} and points to ${redirectHost(headers.get("location"))}. Redirects are not followed, since the credential would go there too; set the base URL to the final address.`,
  });
}

/** Scheme and host only: the rest may hold tokens. */
function redirectHost(location: string | null): string {
  if (location === null) return "nowhere";
  if (!URL.canParse(location)) return "another path of the same host";
  const url = new URL(location);
  return `${url.protocol}//${url.host}`;
}

function statusFault({ status }: Answer): Error | undefined {
  if (status >= 200 && status <= 599) return undefined;
  return new TransportError({
    fault: "invalid_status",
    status,
    message: `The provider answered with the status ${status}, which HTTP does not know.`,
  });
}

/** A few bytes may unpack to gigabytes, so nothing is unpacked; and nothing packed was asked for. */
function encodingFault({ status, headers }: Answer): Error | undefined {
  const encoding = headers.get("content-encoding")?.toLowerCase() ?? "identity";
  if (encoding === "identity" || encoding === "") return undefined;
  return new TransportFailure({
    code: "encoded_answer",
    status,
    message: `The answer is compressed (${encoding}) although identity was asked for. Switch compression off in the gateway or proxy before the provider.`,
  });
}

async function typeFault(answer: Answer, { expect }: Expectation): Promise<Error | undefined> {
  const type = typeOf(answer);
  if (expect === undefined || answer.status > 299) return undefined;
  if (type === "" || type.startsWith("text/event-stream")) return undefined;
  return unexpectedType(answer, "A stream was asked for");
}

async function pageFault(answer: Answer, { isDropIn }: Expectation): Promise<Error | undefined> {
  if (!isDropIn || !/^(text\/html|application\/xhtml\+xml)/.test(typeOf(answer))) return undefined;
  if (answer.status < 300) return unexpectedType(answer, "An answer of a model was asked for");
  if (answer.status !== 404 && answer.status !== 405) return undefined;
  return new TransportFailure({
    code: "wrong_address",
    status: answer.status,
    message: `The answer is a page with status ${answer.status}: no API is at this address. Check the path of the base URL (many end in /v1).`,
    bodyText: await answer.start(),
  });
}

/** `null`, `""`, a number, nothing: readers of objects would break on it far from here. */
async function emptyFault(
  answer: Answer,
  { method, isDropIn }: Expectation,
): Promise<Error | undefined> {
  const isJson = /^application\/(.+\+)?json/.test(typeOf(answer));
  if (!isDropIn || method !== "POST" || !isJson || answer.status > 299) return undefined;
  if (answer.status === 204 || answer.status === 205) return undefined;
  const start = await answer.start();
  if (/^\s*[[{]/.test(start)) return undefined;
  return new TransportFailure({
    code: "malformed_answer",
    status: answer.status,
    message: `The provider answered ${answer.status} with ${start.trim() === "" ? "nothing" : "JSON that is no object"}. Check the base URL, or what stands between here and the provider.`,
    bodyText: start,
  });
}

async function unexpectedType(answer: Answer, wish: string): Promise<Error> {
  return new TransportError({
    fault: "unexpected_content_type",
    status: answer.status,
    message: `${wish} and ${answer.headers.get("content-type")} came. Something between here and the provider may be answering in its place, or the base URL is wrong.`,
    bodyText: await answer.start(),
  });
}

function typeOf({ headers }: Answer): string {
  return (headers.get("content-type") ?? "").toLowerCase();
}
