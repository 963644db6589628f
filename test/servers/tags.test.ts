import type { CalendarRef } from 'kalends/ports';
import { expect, inject, it } from 'vitest';
import { calendarsOf, type SignedIn, signIn } from './provider-world.ts';
import { makeCalendar } from './raw/raw-calendar.ts';

function object(component: string, uid: string, ...lines: readonly string[]): string {
  const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//kalends//tests//EN', `BEGIN:${component}`, `UID:${uid}`];
  const all = [...head, 'DTSTAMP:20260101T000000Z', `SUMMARY:${uid}`, ...lines, `END:${component}`];
  return [...all, 'END:VCALENDAR', ''].join('\r\n');
}

const pathOf = ({ id }: CalendarRef): string => Buffer.from(id, 'base64url').toString();

const TIMES = ['DTSTART:20260302T090000Z', 'DTEND:20260302T100000Z'];

async function tagged({ provider, session }: SignedIn, calendar: CalendarRef): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const page of provider.events.listTags?.(session, calendar) ?? []) {
    for (const { providerEventId } of page) paths.push(Buffer.from(providerEventId, 'base64url').toString());
  }
  return paths.map((path) => path.split('/').at(-1) ?? '').toSorted();
}

it.each(inject('calendarServers'))('$name tells the tags of events, and of no tasks beside them', async (server) => {
  const raw = await makeCalendar(server, server.alice, 'tags');
  const person = await signIn(server, server.alice);
  const calendar = (await calendarsOf(person)).find((listed) => pathOf(listed).endsWith('/tags/'));
  if (calendar === undefined) throw new Error('the calendar is not listed');
  expect(await tagged(person, calendar)).toEqual([]);
  await raw.put('task.ics', object('VTODO', 'tagged-task'));
  expect(await tagged(person, calendar)).toEqual([]);
  await raw.put('single.ics', object('VEVENT', 'tagged-single', ...TIMES));
  await raw.put('series.ics', object('VEVENT', 'tagged-series', ...TIMES, 'RRULE:FREQ=DAILY'));
  expect(await tagged(person, calendar)).toEqual(['series.ics', 'single.ics']);
  const gone = Buffer.from(pathOf(calendar).replace('/tags/', '/gone/')).toString('base64url');
  await expect(tagged(person, { ...calendar, id: gone })).rejects.toMatchObject({ reason: 'not-found' });
});
