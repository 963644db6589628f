import { manualClock } from '@kalends/conformance';
import { expect, it, onTestFinished } from 'vitest';
import { createDavWorld, fillDavMailbox } from '../distortion/caldav-mailbox.ts';
import type { Json } from '../interface/world.ts';

const OBJECT = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//t//EN',
  ...['BEGIN:VEVENT', 'UID:u', 'DTSTAMP:20270101T000000Z', 'SUMMARY:Daily', 'DESCRIPTION:old'],
  ...['DTSTART:20270301T090000Z', 'DTEND:20270301T100000Z', 'RRULE:FREQ=DAILY;COUNT=4', 'END:VEVENT'],
  ...['BEGIN:VEVENT', 'UID:u', 'DTSTAMP:20270101T000000Z', 'SUMMARY:Later', 'DESCRIPTION:new'],
  ...['RECURRENCE-ID;RANGE=THISANDFUTURE:20270303T090000Z', 'DTSTART:20270303T120000Z', 'DTEND:20270303T123000Z'],
  ...['END:VEVENT', 'END:VCALENDAR', ''],
].join('\r\n');

it('shows a change of all following occurrences, and refuses to edit it', async () => {
  const world = await createDavWorld({ clock: manualClock(Date.UTC(2027, 0, 1)) }, (_request, pass) => pass());
  onTestFinished(() => world.close());
  const { accountId, calendarId, put } = await fillDavMailbox(world, 0, []);
  await put(`${Buffer.from(calendarId, 'base64url').toString()}a.ics`, OBJECT);
  const path = `/v1/events/${accountId}/${calendarId}`;
  const window = 'startDateTime=2027-03-01T00:00:00Z&endDateTime=2027-04-01T00:00:00Z';
  const { data } = (await world.call('GET', `${path}?expandRecurrences=true&${window}`)).body;
  expect(data.map(({ title, start }: Json) => `${title} ${start.dateTime}`)).toEqual([
    'Daily 2027-03-01T09:00:00+00:00',
    'Daily 2027-03-02T09:00:00+00:00',
    'Later 2027-03-03T12:00:00+00:00',
    'Later 2027-03-04T12:00:00+00:00',
  ]);
  const { id } = data[3];
  const refused = await world.call('PUT', `${path}/${id}`, { body: { title: 'New' } });
  expect(refused).toMatchObject({ status: 422, body: { code: 'UnsupportedByProvider' } });
  expect(refused.body.detail).toContain('RANGE=THISANDFUTURE');
});
