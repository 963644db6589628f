import { manualClock } from '@kalends/conformance';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compileSeries, occurrenceEnd, seriesLength } from '../../src/recurrence/index.ts';
import { formatInstant } from '../../src/zones/index.ts';
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
  const read = async (id: string, query = ''): Promise<Json> => (await world.call('GET', `${path}/${id}${query}`)).body;
  const listed = async (): Promise<Json> => (await world.call('GET', path)).body.data[0];
  const shown = async () =>
    (await list()).map(({ title, start, end }) => `${title} ${start.dateTime} ${end.dateTime.slice(11)}`);
  const send = (id: string, body: Json, scope = 'all') => world.call('PUT', `${path}/${id}?scope=${scope}`, { body });
  const update = async (id: string, body: Json, scope = 'all') =>
    expect(await send(id, body, scope)).toMatchObject({ status: 200 });
  return { list, read, listed, shown, send, update };
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

/** Start and end of each occurrence, worked out from the record of a series alone. */
function expanded({ start, end, recurrence }: Json): readonly string[] {
  const series = compileSeries({ dtstart: start.dateTime.slice(0, 19), timeZone: start.timeZone, lines: recurrence });
  const lengthMs = seriesLength(start.timeZone, { start, end });
  return series
    .occurrences({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, limit: 9 })
    .map(({ startMs }) => [startMs, occurrenceEnd(start.timeZone, startMs, lengthMs)])
    .map((times) => times.map((ms) => formatInstant(start.timeZone, ms as number)).join(' '));
}

describe('the record of a series', () => {
  const CASES = [
    ['023000', '033000', '2026-03-08T02:30:00-05:00', '2026-03-08T04:30:00-04:00'],
    ['013000', '023000', '2026-03-08T01:30:00-05:00', '2026-03-08T02:30:00-05:00'],
  ] as const;

  it.each(CASES)('from %s to %s has the times of day of its occurrences', async (from, to, start, end) => {
    const { list, read, listed, shown, send } = await nightly(from, to);
    const occurrences = await list();
    const record = await read(occurrences[0].recurringEventId);
    expect(record).toMatchObject({ start: at(start), end: at(end) });
    expect(await listed()).toEqual(record);
    expect(expanded(record)).toEqual(occurrences.map((event) => `${event.start.dateTime} ${event.end.dateTime}`));

    const before = await shown();
    const answer = await send(record.id, { ...record, title: 'Moved?' });
    expect(answer).toMatchObject({ status: 200, body: { start: at(start), end: at(end) } });
    expect(await send(record.id, { start: record.start, end: record.end })).toMatchObject({ status: 200 });
    expect(await shown()).toEqual(before.map((line) => line.replace('Nightly', 'Moved?')));
  });

  it('has instants in another zone, which may be sent back', async () => {
    const { list, read, shown, send } = await nightly('023000', '033000');
    const before = await shown();
    const record = await read((await list())[0].recurringEventId, '?timeZone=Europe/Berlin');
    const timeZone = 'Europe/Berlin';
    expect(record.start).toEqual({ dateTime: '2026-03-08T08:30:00+01:00', timeZone });
    expect(record.end).toEqual({ dateTime: '2026-03-08T09:30:00+01:00', timeZone });
    expect(await send(record.id, { ...record, title: 'Nightly' })).toMatchObject({ status: 200 });
    expect(await shown()).toEqual(before);
    const own = await read(record.id, '?timeZone=America/New_York');
    expect(own.start).toEqual(at('2026-03-08T02:30:00-05:00'));
  });
});

it('has its own start in whatever words that is sent back', async () => {
  const { list, shown, update } = await nightly('023000', '033000');
  const [first] = await list();
  const same = [
    at('2026-03-08T02:30:00'),
    { dateTime: '2026-03-08T02:30:00-05:00' },
    at('2026-03-08T03:30:00-04:00'),
    { dateTime: '2026-03-08T07:30:00Z' },
  ];
  for (const [index, start] of same.entries()) {
    await update(first.recurringEventId, { start, end: at(`2026-03-08T05:0${index}:00`) });
    expect((await shown())[1]).toBe(`Nightly 2026-03-09T02:30:00-04:00 04:0${index}:00-04:00`);
  }
});
