import type { EventCreate } from 'kalends/model';
import { DAY_MS, formatDate, formatWall } from 'kalends/zones';
import { z } from 'zod';
import { createWritePair, type WritePlan } from '../previews/write-pair.ts';
import type { ToolContext } from '../tool.ts';
import { ToolRefusal } from '../tool-refusal.ts';
import { eventLines } from '../words/event-words.ts';
import { bodyFieldName, namingFields } from '../words/named-fields.ts';
import { quotedName, quotedStart } from '../words/quoted.ts';
import { timesWords } from '../words/time-words.ts';
import { checkNew } from './checked-write.ts';
import { emails, notify, recurrenceLines, textFields } from './event-input.ts';
import {
  accountId,
  calendarId,
  checkWeekday,
  type LocalTime,
  localTime,
  readLocal,
  readZone,
  startWeekday,
  timeZone,
} from './inputs.ts';
import { mailWords } from './mail-words.ts';
import { givenSeries, seriesWords } from './series-outlook.ts';
import { checkEnd, pointOf, shownTimes } from './time-span.ts';

const input = z.strictObject({
  accountId,
  calendarId,
  ...textFields,
  title: z.string().min(1).max(1_024),
  start: localTime('A day makes an all-day event.'),
  end: localTime(
    'Exclusive: an all-day event of one day ends on the next. By default an hour or a day later.',
  ).optional(),
  startWeekday,
  timeZone: timeZone.describe("Zone of start and end. By default the calendar's."),
  recurrence: recurrenceLines.optional(),
  attendees: emails.optional().describe('E-mail addresses of people to invite.'),
  notifyAttendees: notify,
});

const HOUR_MS = 3_600_000;

/** The tools that create an event or a series. */
export const createEvent = createWritePair({
  name: 'create_event',
  title: 'Create an event',
  description: 'Creates an event or a series in a calendar.',
  input,
  plan,
});

async function plan(context: ToolContext, sent: z.output<typeof input>): Promise<WritePlan> {
  const { engine, caller } = context;
  const [account, calendar] = await Promise.all([
    engine.accounts.get(caller, sent.accountId),
    engine.calendars.get(caller, sent.accountId, sent.calendarId),
  ]);
  const zone = sent.timeZone === undefined ? calendar.timeZone : readZone(sent.timeZone);
  const { from, to, ...span } = readTimes(sent, zone);
  const { isAllDay } = span;
  const written = ({ wallMs }: LocalTime) =>
    isAllDay ? { date: formatDate(wallMs) } : { dateTime: formatWall(wallMs), timeZone: zone };
  const body: EventCreate = {
    title: sent.title,
    start: written(from),
    // The engine's default is the one that is shown.
    ...(to === undefined ? {} : { end: written(to) }),
    ...(sent.location === undefined ? {} : { location: sent.location }),
    ...(sent.description === undefined ? {} : { description: sent.description }),
    ...(sent.recurrence === undefined ? {} : { recurrence: sent.recurrence }),
    ...(sent.attendees === undefined ? {} : { attendees: sent.attendees.map((email) => ({ email })) }),
  };
  const series =
    sent.recurrence && givenSeries({ isAllDay, startMs: from.wallMs, timeZone: zone, lines: sent.recurrence });
  await checkNew(context, sent, body);
  return {
    words: [
      `Create ${quotedName(sent.title)} in the calendar ${quotedName(calendar.name)} of ${quotedName(account.email)}:`,
      `  when: ${timesWords(shownTimes(span))}`,
      ...(series === undefined ? [] : seriesWords(series)),
      ...(sent.location ? [`  place: ${quotedStart(sent.location, 200)}`] : []),
      ...(sent.description ? [`  description: ${quotedStart(sent.description, 500)}`] : []),
      mailWords(sent.attendees ?? [], account.email, sent.notifyAttendees, 'by an invitation'),
    ],
    state: `${calendar.id} ${zone}`,
    async commit(key) {
      const { accountId, calendarId, notifyAttendees } = sent;
      const creation = engine.events.create(caller, accountId, calendarId, body, {
        idempotencyKey: key,
        ...(notifyAttendees && { notifyAttendees }),
      });
      const created = await namingFields(
        bodyFieldName(sent.attendees ?? [], () => 'attendees'),
        creation,
      );
      return ['Created:', ...eventLines(created, undefined)];
    },
  };
}

function readTimes(sent: z.output<typeof input>, zone: string) {
  const from = readLocal('start', sent.start);
  checkWeekday(from, sent.startWeekday);
  const to = sent.end === undefined ? undefined : readLocal('end', sent.end);
  if (to !== undefined && to.isDay !== from.isDay) {
    throw new ToolRefusal('end: must be a day where start is a day, and a local time where start is one.');
  }
  const isAllDay = from.isDay;
  const place = { isAllDay, timeZone: zone };
  const startMs = pointOf(from.wallMs, place);
  if (to === undefined) return { ...place, startMs, endMs: startMs + (isAllDay ? DAY_MS : HOUR_MS), from, to };
  const span = { ...place, startMs, endMs: pointOf(to.wallMs, place) };
  checkEnd(span, from.wallMs, to.wallMs);
  return { ...span, from, to };
}
