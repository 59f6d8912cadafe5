/**
 * Which alerts are told, and when. Pure.
 *
 * 1. Of one subject at most one alert leaves per `repeatMs`: the first at once; what comes within that time is counted and told
 *    with the next. So a breaker that flaps, or a thousand equal alerts, are one message and a count.
 * 2. The end of what fired is told like it, once, and to those who were told; the end of what nobody was told of is not.
 * 3. Of all subjects together at most `perMinute` leave; the others stand in the list, and one alert says how many they were.
 * 4. Whatever comes, the state holds at most `mostSubjects` subjects: the one that was told longest ago is forgotten first.
 */
import { alertSeverities } from "@bridle/protocol";
import type { Alert, AlertSeverity } from "@bridle/protocol";

import type { AlertDraft } from "./alert-of.ts";

interface SubjectState {
  /** Wall ms at which it was last told; 0: never. */
  readonly toldAt: number;
  readonly isFiring: boolean;
  /** Of what fired last: its end is as important. */
  readonly severity: AlertSeverity;
  readonly runId?: string | undefined;
  /** What has come in since. */
  readonly held?: Alert | undefined;
}

/** Plain JSON, by subject. */
export interface DeskState {
  readonly subjects: Readonly<Record<string, SubjectState>>;
  /** The minute that is counted for the rate: when it began, what was told in it, what was not. */
  readonly minute: { readonly from: number; readonly told: number; readonly untold: number };
}

export interface DeskInput {
  /** `source` becomes the id of an alert that begins with it. `at`: wall ms of the event. */
  readonly drafts: readonly {
    readonly source: string;
    readonly at: number;
    readonly draft: AlertDraft;
  }[];
  /** Runs that have ended: nothing of them goes on firing. */
  readonly endedRuns: readonly string[];
  /** Wall ms. */
  readonly now: number;
}

export interface DeskSettings {
  readonly repeatMs: number;
  readonly perMinute: number;
}

export interface ToldAlert {
  readonly alert: Alert;
  /** It goes into the list, and to nobody. */
  readonly isListedOnly: boolean;
}

const minuteMs = 60_000;
const mostSubjects = 1000;

export const initialDesk: DeskState = {
  subjects: {},
  minute: { from: 0, told: 0, untold: 0 },
};

export function reduceDesk(
  state: DeskState,
  input: DeskInput,
  settings: DeskSettings,
): readonly [DeskState, readonly ToldAlert[]] {
  const subjects = new Map(Object.entries(state.subjects));
  for (const { source, at, draft } of input.drafts) hold(subjects, { source, at, draft });
  endRuns(subjects, new Set(input.endedRuns));
  const turn = new Turn(state.minute, input.now, settings);
  for (const [name, subject] of subjects) {
    if (subject.held === undefined || !isDue(subject, input.now, settings)) continue;
    turn.tell(subject.held);
    subjects.set(name, { ...subject, held: undefined, toldAt: input.now });
  }
  forget(subjects, input.now, settings);
  return [{ subjects: Object.fromEntries(subjects), minute: turn.minute }, turn.told];
}

/** A clock that was put back must not silence a subject for long. */
function isDue({ toldAt }: SubjectState, now: number, { repeatMs }: DeskSettings): boolean {
  return now - toldAt >= repeatMs || toldAt > now;
}

function hold(subjects: Map<string, SubjectState>, news: DeskInput["drafts"][number]): void {
  const { draft } = news;
  const known = subjects.get(draft.subject);
  const isFiring = draft.status === "firing";
  if (!isFiring && known?.isFiring !== true) return;
  const severity = isFiring ? draft.severity : (known?.severity ?? draft.severity);
  const { toldAt } = known ?? { toldAt: 0 };
  const held = merged(known?.held, { ...news, draft: { ...draft, severity } });
  subjects.set(draft.subject, { toldAt, isFiring, severity, runId: draft.runId, held });
}

/** The newest words; the first one's id, since when, how often, and the worst of their severities. */
function merged(
  before: Alert | undefined,
  { source, at, draft }: DeskInput["drafts"][number],
): Alert {
  const once = draft.status === "firing" ? 1 : 0;
  const first = before ?? { id: source, count: 0, firstAt: at, lastAt: at, severity: "info" };
  return {
    ...draft,
    id: first.id,
    severity: worse(first.severity, draft.severity),
    count: first.count + once,
    firstAt: Math.min(first.firstAt, at),
    lastAt: Math.max(first.lastAt, at),
  };
}

function worse(one: AlertSeverity, other: AlertSeverity): AlertSeverity {
  return alertSeverities.indexOf(one) > alertSeverities.indexOf(other) ? one : other;
}

function endRuns(subjects: Map<string, SubjectState>, ended: ReadonlySet<string>): void {
  for (const [name, subject] of subjects) {
    if (subject.runId === undefined || !ended.has(subject.runId)) continue;
    subjects.set(name, { ...subject, isFiring: false });
  }
}

/** What has nothing more to say, then what is too much. What a forgotten one holds was counted in what it told last. */
function forget(subjects: Map<string, SubjectState>, now: number, settings: DeskSettings): void {
  for (const [name, subject] of subjects) {
    const isOver = !subject.isFiring && subject.held === undefined && isDue(subject, now, settings);
    if (isOver) subjects.delete(name);
  }
  const excess = subjects.size - mostSubjects;
  if (excess <= 0) return;
  const oldest = [...subjects].toSorted(([, one], [, other]) => one.toldAt - other.toldAt);
  for (const [name] of oldest.slice(0, excess)) subjects.delete(name);
}

/** What is told in one turn, at the rate of its minute (3). */
class Turn {
  readonly told: ToldAlert[] = [];
  readonly #perMinute: number;
  #minute: DeskState["minute"];

  constructor(minute: DeskState["minute"], now: number, { perMinute }: DeskSettings) {
    this.#perMinute = perMinute;
    this.#minute = minute;
    const isOver = now - minute.from >= minuteMs || minute.from > now;
    if (!isOver) return;
    this.#minute = { from: now, told: 0, untold: 0 };
    if (minute.untold > 0) this.tell(overflow(minute, now));
  }

  get minute(): DeskState["minute"] {
    return this.#minute;
  }

  tell(held: Alert): void {
    const isListedOnly = this.#minute.told >= this.#perMinute;
    const { from, told, untold } = this.#minute;
    this.#minute = isListedOnly
      ? { from, told, untold: untold + 1 }
      : { from, told: told + 1, untold };
    const times = held.count > 1 ? ` ${held.count} times since ${utcOf(held.firstAt)}.` : "";
    this.told.push({ alert: { ...held, message: `${held.message}${times}` }, isListedOnly });
  }
}

function overflow({ from, untold }: DeskState["minute"], now: number): Alert {
  return {
    id: `overflow.${from}`,
    name: "alerts.overflow",
    status: "firing",
    severity: "critical",
    subject: "alerts.overflow",
    message: `${untold} further alerts were raised and not sent: more than are sent in a minute. They are in the list.`,
    count: 1,
    firstAt: from,
    lastAt: now,
  };
}

function utcOf(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
