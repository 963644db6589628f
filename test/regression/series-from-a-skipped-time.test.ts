import { manualClock } from '@kalends/conformance';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDavWorld, fillDavMailbox } from '../distortion/caldav-mailbox.ts';
import type { Json } from '../interface/world.ts';

const at = (time: string) => ({ dateTime: time, timeZone: 'America/New_York' });

/** A mailbox with a series of three days from March 8th, at local times as CalDAV has them. */
async function nightly(start: string, end: string) {
  const world = await createDavWorld({ clock: manualClock(Date.UTC(2026, 0, 1)) }, (_request, pass) => pass());
  onTestFinished(() => world.close());
  const { accountId, calendarId, put } = await fillDavMailbox(world, 0, []);
  const lines = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//t//EN', 'BEGIN:VEVENT', 'UID:u', 'DTSTAMP:20260101T000000Z'],
    ...[`DTSTART;TZID=America/New_York:20260308T${start}`, `DTEND;TZID=America/New_York:20260308T${end}`],
    ...['RRULE:FREQ=DAILY;COUNT=3', 'SUMMARY:Nightly', 'END:VEVENT', 'END:VCALENDAR', ''],
  ];
  await put(`${Buffer.from(calendarId, 'base64url').toString()}a.ics`, lines.join('\r\n'));
  const path = `/v1/events/${accountId}/${calendarId}`;
  const window = 'startDateTime=2026-03-01T00:00:00Z&endDateTime=2026-04-01T00:00:00Z';
  const list = async (): Promise<readonly Json[]> =>
    (await world.call('GET', `${path}?expandRecurrences=true&${window}`)).body.data;
  const shown = async () =>
    (await list()).map(({ title, start, end }) => `${title} ${start.dateTime} ${end.dateTime.slice(11)}`);
  const send = (id: string, body: Json, scope = 'all') => world.call('PUT', `${path}/${id}?scope=${scope}`, { body });
  const update = async (id: string, body: Json, scope = 'all') =>
    expect(await send(id, body, scope)).toMatchObject({ status: 200 });
  return { list, shown, send, update };
}

it('keeps its time of day while other fields of the series are changed', async () => {
  const { list, shown, update } = await nightly('023000', '033000');
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

describe('an edit of all by the first occurrence, which the clocks shift', () => {
  it('of its end leaves the start of the series', async () => {
    const { list, shown, update } = await nightly('023000', '033000');
    const [first, second] = await list();
    await update(first.id, { end: at('2026-03-08T05:00:00') });
    const days = ['08T03:30:00-04:00 05:00:00-04:00', '09T02:30:00-04:00 04:00:00-04:00'];
    expect((await shown()).slice(0, 2)).toEqual(days.map((day) => `Nightly 2026-03-${day}`));
    await update(second.id, { end: at('2026-03-09T03:00:00') });
    const shorter = ['08T03:30:00-04:00 04:00:00-04:00', '09T02:30:00-04:00 03:00:00-04:00'];
    expect((await shown()).slice(0, 2)).toEqual(shorter.map((day) => `Nightly 2026-03-${day}`));
  });

  it('of its start leaves an end that the clocks skip', async () => {
    const { list, shown, update } = await nightly('013000', '023000');
    const [first] = await list();
    const days = (start: string) => [
      `Nightly 2026-03-08T${start}-05:00 03:30:00-04:00`,
      `Nightly 2026-03-09T${start}-04:00 02:30:00-04:00`,
    ];
    expect((await shown()).slice(0, 2)).toEqual(days('01:30:00'));
    await update(first.id, { start: at('2026-03-08T01:00:00') });
    expect((await shown()).slice(0, 2)).toEqual(days('01:00:00'));
    const [, second] = await list();
    await update(second.id, { start: at('2026-03-09T01:15:00') });
    expect((await shown()).slice(0, 2)).toEqual(days('01:15:00'));
  });

  it.each(['first', 'second'])('is refused where the new end is one that the clocks skip there: %s', async (which) => {
    const { list, send } = await nightly('013000', '023000');
    const [first, second] = await list();
    // The length stays: an hour by the clock.
    const [id, body] =
      which === 'first'
        ? [first.id, { start: at('2026-03-08T01:15:00'), end: at('2026-03-08T03:15:00') }]
        : [second.id, { start: at('2026-03-09T01:15:00'), end: at('2026-03-09T02:15:00') }];
    expect(await send(id, body)).toMatchObject({ status: 400, body: { details: [{ path: 'end' }] } });
  });
});

it('has its own start in whatever words that is sent back', async () => {
  const { list, shown, update } = await nightly('023000', '033000');
  const [first] = await list();
  const same = [
    at('2026-03-08T02:30:00'),
    { dateTime: '2026-03-08T02:30:00-05:00' },
    { dateTime: '2026-03-08T07:30:00Z' },
  ];
  for (const [index, start] of same.entries()) {
    await update(first.recurringEventId, { start, end: at(`2026-03-08T05:0${index}:00`) });
    expect((await shown())[1]).toBe(`Nightly 2026-03-09T02:30:00-04:00 04:0${index}:00-04:00`);
  }
});
