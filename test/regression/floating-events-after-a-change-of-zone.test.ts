import { manualClock } from '@kalends/conformance';
import { expect, it } from 'vitest';
import { startCalendar } from '../../adapters/caldav/test/pull/pulled-calendar.ts';
import { createDavWorld, fillDavMailbox } from '../distortion/caldav-mailbox.ts';

const FLOATING = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//t//EN',
  'BEGIN:VEVENT',
  'UID:u',
  'DTSTAMP:20270101T000000Z',
  'SUMMARY:Floating',
  'DTSTART:20270301T090000',
  'DTEND:20270301T100000',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

it('shows floating events in the new zone of their calendar at once', async () => {
  const world = await createDavWorld({ clock: manualClock(Date.UTC(2027, 0, 1)) }, (_request, pass) => pass());
  try {
    const { accountId, calendarId, put } = await fillDavMailbox(world, 0, []);
    await put(`${Buffer.from(calendarId, 'base64url').toString()}a.ics`, FLOATING);
    const busy = async () => {
      const window = { startDateTime: '2027-03-01T00:00:00Z', endDateTime: '2027-03-03T00:00:00Z' };
      const body = { ...window, timeZone: 'UTC', calendarIds: [calendarId] };
      const answer = await world.call('POST', `/v1/freeBusy/${accountId}`, { body });
      return answer.body[0].busySlots.map(({ start }: { start: { dateTime: string } }) => start.dateTime);
    };
    expect(await busy()).toEqual(['2027-03-01T08:00:00+00:00']);
    const path = `/v1/calendars/${accountId}/${calendarId}`;
    expect(await world.call('PUT', path, { body: { timeZone: 'America/New_York' } })).toMatchObject({ status: 200 });
    expect(await busy()).toEqual(['2027-03-01T14:00:00+00:00']);
  } finally {
    await world.close();
  }
});

it.each([
  ['sync-collection', []],
  ['lists alone', ['noSyncCollection']],
])('reads all objects again after a change of the zone, and once: %s', async (_name, quirks) => {
  const pulled = await startCalendar(...quirks);
  for (const name of ['a', 'b']) await pulled.put(`${name}.ics`, name);
  await pulled.pull();
  const moved = { ...pulled.calendar, timeZone: 'America/New_York' };
  const pullMoved = async () => {
    let changes = 0;
    for await (const page of pulled.harness.provider.events.pull(pulled.session, moved, pulled.token)) {
      changes += page.changes.length;
      pulled.token = page.nextToken ?? pulled.token;
    }
    return changes;
  };
  expect([await pullMoved(), await pullMoved()]).toEqual([2, 0]);
});
