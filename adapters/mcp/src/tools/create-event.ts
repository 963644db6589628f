import type { EventCreate } from 'kalends/model';
import { DAY_MS, formatDate, formatInstant, formatWall, instantOf } from 'kalends/zones';
import { z } from 'zod';
import { createWritePair, type WritePlan } from '../previews/write-pair.ts';
import type { ToolContext } from '../tool.ts';
import { ToolRefusal } from '../tool-refusal.ts';
import { eventLines } from '../words/event-words.ts';
import { quotedName, quotedStart } from '../words/quoted.ts';
import { timesWords } from '../words/time-words.ts';
import { emails, notify, recurrenceLines, textFields } from './event-input.ts';
import {
  accountId,
  calendarId,
  checkWeekday,
  localTime,
  readLocal,
  readZone,
  startWeekday,
  timeZone,
} from './inputs.ts';
import { mailWords } from './mail-words.ts';
import { seriesWords } from './series-outlook.ts';

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
  const times = readTimes(sent, zone);
  const { start, end, isAllDay, startMs } = times;
  const body: EventCreate = {
    title: sent.title,
    start: isAllDay ? { date: formatDate(startMs) } : { dateTime: formatWall(startMs), timeZone: zone },
    end: isAllDay ? { date: formatDate(times.endMs) } : { dateTime: formatWall(times.endMs), timeZone: zone },
    ...(sent.location === undefined ? {} : { location: sent.location }),
    ...(sent.description === undefined ? {} : { description: sent.description }),
    ...(sent.recurrence === undefined ? {} : { recurrence: sent.recurrence }),
    ...(sent.attendees === undefined ? {} : { attendees: sent.attendees.map((email) => ({ email })) }),
  };
  return {
    words: [
      `Create ${quotedName(sent.title)} in the calendar ${quotedName(calendar.name)} of ${quotedName(account.email)}:`,
      `  when: ${timesWords({ start, end, isAllDay })}`,
      ...(sent.recurrence === undefined
        ? []
        : seriesWords({ isAllDay, startMs, timeZone: zone, lines: sent.recurrence })),
      ...(sent.location ? [`  place: ${quotedStart(sent.location, 200)}`] : []),
      ...(sent.description ? [`  description: ${quotedStart(sent.description, 500)}`] : []),
      mailWords(sent.attendees ?? [], account.email, sent.notifyAttendees, 'by an invitation'),
    ],
    state: `${calendar.id} ${zone}`,
    async commit(key) {
      const { accountId, calendarId, notifyAttendees } = sent;
      const created = await engine.events.create(caller, accountId, calendarId, body, {
        idempotencyKey: key,
        ...(notifyAttendees && { notifyAttendees }),
      });
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
  const endMs = to?.wallMs ?? from.wallMs + (isAllDay ? DAY_MS : HOUR_MS);
  if (endMs <= from.wallMs && (isAllDay || endMs < from.wallMs)) throw new ToolRefusal('end: must be after start.');
  const point = (wallMs: number) => ({
    dateTime: isAllDay ? formatWall(wallMs) : formatInstant(zone, instantOf(zone, wallMs)),
    timeZone: zone,
  });
  return { start: point(from.wallMs), end: point(endMs), isAllDay, startMs: from.wallMs, endMs };
}
