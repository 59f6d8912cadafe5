/**
 * One answer on its way out as a stream. A part is opened with its first piece and closed when the next part opens or the answer
 * finishes: cut anywhere before, it is incomplete for its reader too.
 */
import { piecesOfPart } from "./answer-part.ts";
import type { PlannedPart } from "./answer-part.ts";
import type { AnswerEvents, JsonObject } from "./dialects/dialect.ts";
import type { Exchange } from "./exchange.ts";
import type { PlannedAnswer } from "./plan-answer.ts";
import type { HeaderScript } from "./reply-headers.ts";
import type { AnswerReply, FakeUsage } from "./reply.ts";
import { reportedUsage } from "./reported-usage.ts";

interface Step {
  readonly part: PlannedPart;
  /** Undefined for a part that says nothing. */
  readonly piece: string | undefined;
}

type Opening = HeaderScript & Pick<AnswerReply, "contentType" | "usage">;

export class AnswerStream {
  readonly #exchange: Exchange;
  readonly #events: AnswerEvents;
  readonly #steps: Step[];
  #charactersSent = 0;
  #open: PlannedPart | undefined;

  constructor(exchange: Exchange, planned: PlannedAnswer) {
    this.#exchange = exchange;
    this.#events = exchange.dialect.events({ ...planned, model: exchange.request.model });
    this.#steps = planned.parts.flatMap(stepsOf);
  }

  begin(opening: Opening = {}): Promise<void> {
    this.beginSilently(opening);
    return this.#exchange.write(this.#events.begin(this.#usageBefore(opening.usage)));
  }

  /** The headers alone. */
  beginSilently(opening: Opening = {}): void {
    this.#exchange.begin(opening.contentType ?? "text/event-stream; charset=utf-8", opening);
  }

  /** Goes on to that many characters of the whole answer. */
  async sendUntil(characters: number, delayMs = 0): Promise<void> {
    const exchange = this.#exchange;
    for (let step = this.#next(characters); step; step = this.#next(characters)) {
      // oxlint-disable-next-line no-await-in-loop -- a stream is sent in order
      await exchange.pause(delayMs);
      if (exchange.isGone) return;
      exchange.sent(step.piece ?? "", { isReasoning: step.part.type === "reasoning" });
      // oxlint-disable-next-line no-await-in-loop -- a stream is sent in order
      await exchange.write(this.#eventsOf(step));
    }
  }

  sendRest(delayMs?: number): Promise<void> {
    return this.sendUntil(Number.POSITIVE_INFINITY, delayMs);
  }

  sendBroken(): Promise<void> {
    return this.#exchange.write(this.#exchange.dialect.brokenEvent);
  }

  sendError(error: JsonObject): Promise<void> {
    return this.#exchange.write(this.#events.error(error));
  }

  async finish(usage: AnswerReply["usage"], { end = true } = {}): Promise<void> {
    const exchange = this.#exchange;
    const reported = reportedUsage(exchange, usage);
    await exchange.write(this.#closing());
    for (const event of this.#events.finish(reported)) {
      // oxlint-disable-next-line no-await-in-loop -- a stream is sent in order
      await exchange.write(event);
    }
    if (end) await exchange.write(this.#events.end());
  }

  /** What an API may say before the first word; it is not billed by that. */
  #usageBefore(usage: AnswerReply["usage"]): FakeUsage | undefined {
    return usage === "missing" ? undefined : (usage ?? this.#exchange.bill.honestUsage());
  }

  #next(characters: number): Step | undefined {
    const room = characters - this.#charactersSent;
    const step = room > 0 ? this.#steps.shift() : undefined;
    if (step?.piece === undefined) return step;
    const piece = step.piece.slice(0, room);
    if (piece !== step.piece) this.#steps.unshift({ ...step, piece: step.piece.slice(room) });
    this.#charactersSent += piece.length;
    return { ...step, piece };
  }

  #eventsOf({ part, piece }: Step): string {
    const delta = (): string => (piece === undefined ? "" : this.#events.delta(part, piece));
    if (this.#open === part) return delta();
    const before = this.#closing() + this.#events.open(part);
    this.#open = part;
    return before + delta();
  }

  #closing(): string {
    const open = this.#open;
    this.#open = undefined;
    return open === undefined ? "" : this.#events.close(open);
  }
}

function stepsOf(part: PlannedPart): readonly Step[] {
  const pieces = piecesOfPart(part);
  return pieces.length === 0
    ? [{ part, piece: undefined }]
    : pieces.map((piece) => ({ part, piece }));
}
