import type { Calendar, CalendarEvent } from 'kalends/model';
import { z } from 'zod';
import { createTool, type ToolContext } from '../tool.ts';
import { eventDetails, eventLines } from '../words/event-words.ts';
import { type AnswerEntry, estimatedTokens, pagedAnswer } from '../words/paged-answer.ts';
import { DATA_NOTE, quoted } from '../words/quoted.ts';
import { instantWords } from '../words/time-words.ts';
import { allPages, chosenCalendars, listZone, PAGE, seriesOf } from './account-reads.ts';
import { type EventWindow, overlaps, queryOf, readWindow, spanOf } from './event-window.ts';
import {
  accountId,
  calendarId,
  calendarIds,
  eventId,
  localTime,
  pageToken,
  readZone,
  timeZone,
  windowZone,
} from './inputs.ts';
import { readEach, unreadNotes } from './read-each.ts';

const from = localTime('Start of the window.');
const to = localTime('End of the window; a day is included.');

export const listEvents = createTool({
  name: 'list_events',
  kind: 'read',
  title: 'List events',
  description:
    'Lists what happens in a window, in order of time: single events and each occurrence of a series, with any part in the window.',
  input: z.strictObject({
    accountId,
    calendarIds,
    from,
    to,
    timeZone: windowZone,
    title: z.string().min(1).max(1_024).optional().describe('Only events whose title contains this, in any case.'),
    pageToken,
  }),
  async run(context, { accountId, calendarIds, from, to, timeZone, title, pageToken }) {
    const { engine, caller } = context;
    const calendars = await chosenCalendars(context, accountId, calendarIds);
    const zone = timeZone === undefined ? await listZone(context, accountId, calendars) : readZone(timeZone);
    const window = readWindow(from, to, zone);
    const query = {
      ...queryOf(window),
      expandRecurrences: true as const,
      limit: PAGE,
      orderBy: 'startDateTime' as const,
      timeZone: zone,
      ...(title && { search: title }),
    };
    const reads = await readEach(calendars, async (calendar) => {
      const events = await allPages(
        (next) => engine.events.list(caller, accountId, calendar.id, { ...query, ...(next && { pageToken: next }) }),
        (event) => overlaps(spanOf(event, calendar.timeZone), window),
      );
      return entriesOf(context, { accountId, calendar }, events);
    });
    return pagedAnswer({
      header: `${windowWords(window, zone)}\nNow: ${instantWords(context.clock.now(), zone)}.`,
      notes: unreadNotes(reads),
      entries: sorted(reads.results.flat()),
      empty: 'Nothing is there. A wider window, or search_events without a window, may find more.',
      pageToken,
      tokenBudget: context.tokenBudget,
    });
  },
});

export const listOccurrences = createTool({
  name: 'list_occurrences',
  kind: 'read',
  title: 'List occurrences of a series',
  description:
    'Lists the occurrences of one series in a window, moved and cancelled ones too, each with its own eventId.',
  input: z.strictObject({ accountId, calendarId, seriesId: eventId, from, to, timeZone, pageToken }),
  async run(context, { accountId, calendarId, seriesId, from, to, timeZone, pageToken }) {
    const { engine, caller, tokenBudget } = context;
    const calendar = await engine.calendars.get(caller, accountId, calendarId);
    const zone = timeZone === undefined ? calendar.timeZone : readZone(timeZone);
    const window = readWindow(from, to, zone);
    const query = { ...queryOf(window), isCancelled: true, timeZone: zone, limit: PAGE };
    const events = await allPages(
      (next) =>
        engine.events.listOccurrences(caller, accountId, calendarId, seriesId, {
          ...query,
          ...(next && { pageToken: next }),
        }),
      (event) => overlaps(spanOf(event, calendar.timeZone), window),
    );
    return pagedAnswer({
      header: windowWords(window, zone),
      entries: sorted(await entriesOf(context, { accountId, calendar }, events)),
      empty: 'The series has no occurrence in the window.',
      pageToken,
      tokenBudget,
    });
  },
});

export const getEvent = createTool({
  name: 'get_event',
  kind: 'read',
  title: 'Read an event',
  description: 'Reads one event, occurrence or series with description, attendees, and what a change of it can reach.',
  input: z.strictObject({ accountId, calendarId, eventId, timeZone }),
  async run(context, { accountId, calendarId, eventId, timeZone }) {
    const { engine, caller } = context;
    const query = timeZone === undefined ? {} : { timeZone: readZone(timeZone) };
    const event = await engine.events.get(caller, accountId, calendarId, eventId, query);
    const series = await seriesOf(context, accountId, calendarId, [event]);
    const tokenBudget = context.tokenBudget - estimatedTokens(DATA_NOTE);
    return [DATA_NOTE, ...eventDetails(event, series.get(event.recurringEventId ?? ''), tokenBudget)].join('\n');
  },
});

export const searchEvents = createTool({
  name: 'search_events',
  kind: 'read',
  title: 'Search events by title',
  description:
    'Finds single events and series by their title, whatever their time. For the occurrences of a series call list_occurrences.',
  input: z.strictObject({
    accountId,
    calendarIds,
    title: z.string().min(1).max(1_024).describe('Part of the title, in any case.'),
    pageToken,
  }),
  async run(context, { accountId, calendarIds, title, pageToken }) {
    const { engine, caller } = context;
    const calendars = await chosenCalendars(context, accountId, calendarIds);
    const query = { search: title, isCancelled: false, limit: PAGE };
    const reads = await readEach(calendars, async (calendar) => {
      const found = await allPages((next) =>
        engine.events.list(caller, accountId, calendar.id, { ...query, ...(next && { pageToken: next }) }),
      );
      return found.map((event) => searchEntry(event, calendar));
    });
    const entries = reads.results.flat();
    return pagedAnswer({
      header: `Found: ${entries.length}. Series come first, then single events and changed occurrences, the latest first.`,
      notes: unreadNotes(reads),
      entries: sorted(entries),
      empty: 'No title contains this. Try a shorter part of it.',
      pageToken,
      tokenBudget: context.tokenBudget,
    });
  },
});

function windowWords({ fromMs, toMs }: EventWindow, zone: string): string {
  return `From ${instantWords(fromMs, zone)} to ${instantWords(toMs, zone)}:`;
}

/** Latest instant of a JavaScript date: keys count down from it. */
const LATEST_MS = 8_640_000_000_000_000;

function searchEntry(event: CalendarEvent, calendar: Calendar): AnswerEntry {
  const countdown = String(LATEST_MS - spanOf(event, calendar.timeZone).fromMs).padStart(17, '0');
  return {
    key: `${event.recurrence === null ? 1 : 0}${countdown} ${calendar.id} ${event.id}`,
    lines: [...eventLines(event, undefined), `  calendarId: ${quoted(calendar.id)}`],
  };
}

async function entriesOf(
  context: ToolContext,
  { accountId, calendar }: { readonly accountId: string; readonly calendar: Calendar },
  events: readonly CalendarEvent[],
): Promise<readonly AnswerEntry[]> {
  const series = await seriesOf(context, accountId, calendar.id, events);
  return events.map((event) => ({
    key: `${new Date(spanOf(event, calendar.timeZone).fromMs).toISOString()} ${calendar.id} ${event.id}`,
    lines: [...eventLines(event, series.get(event.recurringEventId ?? '')), `  calendarId: ${quoted(calendar.id)}`],
  }));
}

/** Sorts by keys, as their characters compare. */
function sorted(entries: readonly AnswerEntry[]): readonly AnswerEntry[] {
  return [...entries].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}
