import { manualClock } from '@kalends/conformance';
import { expect, it, onTestFinished } from 'vitest';
import { createDavWorld, fillDavMailbox } from '../distortion/caldav-mailbox.ts';
import type { Json } from '../interface/world.ts';

const OBJECT = [
  ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//t//EN', 'BEGIN:VEVENT', 'UID:u', 'DTSTAMP:20260101T000000Z'],
  ...['DTSTART;TZID=America/New_York:20260308T023000', 'DTEND;TZID=America/New_York:20260308T033000'],
  ...['RRULE:FREQ=DAILY;COUNT=3', 'SUMMARY:Nightly', 'END:VEVENT', 'END:VCALENDAR', ''],
].join('\r\n');
const at = (time: string) => ({ dateTime: time, timeZone: 'America/New_York' });

it('keeps its time of day while other fields of the series are changed', async () => {
  const world = await createDavWorld({ clock: manualClock(Date.UTC(2026, 0, 1)) }, (_request, pass) => pass());
  onTestFinished(() => world.close());
  const { accountId, calendarId, put } = await fillDavMailbox(world, 0, []);
  await put(`${Buffer.from(calendarId, 'base64url').toString()}a.ics`, OBJECT);
  const path = `/v1/events/${accountId}/${calendarId}`;
  const window = 'startDateTime=2026-03-01T00:00:00Z&endDateTime=2026-04-01T00:00:00Z';
  const list = async (): Promise<readonly Json[]> =>
    (await world.call('GET', `${path}?expandRecurrences=true&${window}`)).body.data;
  const shown = async () =>
    (await list()).map(({ title, start, end }) => `${title} ${start.dateTime} ${end.dateTime.slice(11)}`);
  const update = async (id: string, body: Json, scope = 'all') =>
    expect(await world.call('PUT', `${path}/${id}?scope=${scope}`, { body })).toMatchObject({ status: 200 });

  expect(await shown()).toEqual([
    'Nightly 2026-03-08T03:30:00-04:00 04:30:00-04:00',
    'Nightly 2026-03-09T02:30:00-04:00 03:30:00-04:00',
    'Nightly 2026-03-10T02:30:00-04:00 03:30:00-04:00',
  ]);
  const [first, second] = await list();
  const series = first.recurringEventId;
  await update(series, { title: 'Backup' });
  await update(series, { end: at('2026-03-08T04:00:00') });
  expect(await shown()).toEqual([
    'Backup 2026-03-08T03:30:00-04:00 04:00:00-04:00',
    'Backup 2026-03-09T02:30:00-04:00 03:00:00-04:00',
    'Backup 2026-03-10T02:30:00-04:00 03:00:00-04:00',
  ]);
  await update(first.id, { title: 'Early' }, 'this');
  await update(second.id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] });
  expect(await shown()).toEqual([
    'Early 2026-03-08T03:30:00-04:00 04:00:00-04:00',
    'Backup 2026-03-09T02:30:00-04:00 03:00:00-04:00',
  ]);
  // The first occurrence alone is shown at another time than the others: its new one is that of all.
  await update(first.id, { start: at('2026-03-08T05:00:00'), end: at('2026-03-08T05:15:00') });
  expect(await shown()).toEqual([
    'Early 2026-03-08T05:00:00-04:00 05:15:00-04:00',
    'Backup 2026-03-09T05:00:00-04:00 05:15:00-04:00',
  ]);
});
