import type { Calendar, CalendarEvent } from 'kalends/model';
import type { ToolContext } from '../tool.ts';
import { ToolRefusal } from '../tool-refusal.ts';

/** Most events of a window that are read at once; more of them want a shorter window. */
const MOST_EVENTS = 5_000;
/** Events of a page of the engine. */
export const PAGE = 1_000;

/** Place of a calendar among those of its account. */
const rank = ({ isPrimary, isShared }: Calendar) => (isPrimary ? 0 : isShared ? 2 : 1);

/** Lists all calendars of an account: the primary one first, those that others share to it last. */
export async function allCalendars({ engine, caller }: ToolContext, accountId: string): Promise<readonly Calendar[]> {
  const calendars: Calendar[] = [];
  let pageToken: string | undefined;
  do {
    const page = await engine.calendars.list(caller, accountId, { limit: 250, ...(pageToken && { pageToken }) });
    calendars.push(...page.data);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return calendars.sort((a, b) => rank(a) - rank(b));
}

/** Returns the calendars of an account that were chosen, in their order and each once, or all. @throws ToolRefusal for an id that is none of them */
export async function chosenCalendars(
  context: ToolContext,
  accountId: string,
  chosen: readonly string[] | undefined,
): Promise<readonly Calendar[]> {
  const all = await allCalendars(context, accountId);
  if (chosen === undefined) return all;
  return [...new Set(chosen)].map((id) => {
    const calendar = all.find((each) => each.id === id);
    if (calendar !== undefined) return calendar;
    throw new ToolRefusal('calendarIds: one of them is no calendar of the account. Call list_calendars.');
  });
}

/**
 * Returns the calendars of an account that were chosen, or all but those that others share to it, as free/busy counts them.
 * @throws ToolRefusal for an id that is none of them, and for an account that has none of its own
 */
export async function ownCalendars(
  context: ToolContext,
  accountId: string,
  chosen: readonly string[] | undefined,
): Promise<readonly Calendar[]> {
  const calendars = await chosenCalendars(context, accountId, chosen);
  const own = chosen === undefined ? calendars.filter(({ isShared }) => !isShared) : calendars;
  if (own.length > 0) return own;
  throw new ToolRefusal('calendarIds: the account has no calendar of its own. Name calendars from list_calendars.');
}

/**
 * Returns the zone of a list that names none: that of its calendars where they share one, or else of the primary one. A time that is
 * copied from the list into a change is read in the same zone, or refused. @throws ToolRefusal for an account without calendars
 */
export async function listZone(
  context: ToolContext,
  accountId: string,
  [first, ...others]: readonly Calendar[],
): Promise<string> {
  if (first === undefined) throw new ToolRefusal('The account has no calendar.');
  if (others.every(({ timeZone }) => timeZone === first.timeZone)) return first.timeZone;
  const [primary = first] = await allCalendars(context, accountId);
  return primary.timeZone;
}

/** Returns the zone of a slot that names none: that of the first calendar that was chosen, or else of the primary one. */
export function defaultZone(calendars: readonly Calendar[], chosen: readonly string[] | undefined): string {
  const isFirst = ({ id, isPrimary }: Calendar) => (chosen === undefined ? isPrimary : id === chosen[0]);
  return (calendars.find(isFirst) ?? calendars[0])?.timeZone ?? 'UTC';
}

type PageOf = (pageToken: string | undefined) => Promise<{
  readonly data: readonly CalendarEvent[];
  readonly nextPageToken?: string;
}>;

/** Lists all pages of a list of events, and returns those that are wanted. @throws ToolRefusal for too many of them */
export async function allPages(
  pageOf: PageOf,
  isWanted: (event: CalendarEvent) => boolean = () => true,
): Promise<readonly CalendarEvent[]> {
  const events: CalendarEvent[] = [];
  let pageToken: string | undefined;
  do {
    const page = await pageOf(pageToken);
    events.push(...page.data.filter(isWanted));
    pageToken = page.nextPageToken;
    if (events.length > MOST_EVENTS) {
      throw new ToolRefusal(`The window has more than ${MOST_EVENTS} events. Choose a shorter one, or one calendar.`);
    }
  } while (pageToken !== undefined);
  return events;
}

/** Returns the series of occurrences by their ids; those that cannot be read are left out. */
export async function seriesOf(
  { engine, caller }: ToolContext,
  accountId: string,
  calendarId: string,
  events: readonly CalendarEvent[],
): Promise<ReadonlyMap<string, CalendarEvent>> {
  const ids = [...new Set(events.flatMap(({ recurringEventId }) => recurringEventId ?? []))];
  const read = await Promise.all(
    ids.map((id) => engine.events.get(caller, accountId, calendarId, id).catch(() => undefined)),
  );
  return new Map(read.flatMap((series) => (series === undefined ? [] : [[series.id, series] as const])));
}
