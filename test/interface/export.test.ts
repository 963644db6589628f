import { importIcs } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import ICAL from 'ical.js';
import { readCalendars } from 'kalends/icalendar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { occurrencesOf } from '../icalendar/occurrences-of.ts';
import { body, type Connected, calendarsPath, eventsPath, expectProblem, readAll, secondApplication } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const LONDON = 'Europe/London';
const at = (dateTime: string) => ({ dateTime, timeZone: LONDON });
const WINDOW = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-30T00:00:00Z' };
const SPAN = { from: Date.parse(WINDOW.startDateTime), to: Date.parse(WINDOW.endDateTime) };

describe.each(PROVIDERS)('the export of $providerType', ({ provider }) => {
  let account: Connected;
  let path: string;
  beforeAll(async () => {
    account = await world.connect(provider);
    path = `${calendarsPath(account.accountId, account.calendarId)}/export`;
    const create = async (fields: Json) => body(await world.call('POST', eventsPath(account), { body: fields }), 201);
    await create({
      title: 'Lunch; with, "Zoë"',
      description: `Line one\nline two ${'long '.repeat(40)}`,
      location: 'Room \\ 3',
      start: at('2026-03-03T12:30:00'),
      end: at('2026-03-03T13:15:00'),
      attendees: [{ email: 'ann@example.com', name: 'Ann' }],
    });
    await create({ title: 'Trip', isAllDay: true, start: { dateTime: '2026-03-10' }, end: { dateTime: '2026-03-13' } });
    const series = await create({
      title: 'Stand-up',
      start: at('2026-03-23T09:00:00'),
      end: at('2026-03-23T09:15:00'),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=10'],
    });
    const moved = { start: at('2026-03-31T11:00:00'), end: at('2026-03-31T11:20:00'), title: 'Stand-up, late' };
    body(await world.call('PUT', eventsPath(account, `${series.id}_20260331T080000Z`), { body: moved }));
    body(await world.call('DELETE', eventsPath(account, `${series.id}_20260325T090000Z`)));
  });

  it('says to another library what the list of occurrences says', async () => {
    const answer = await world.call('GET', path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="[\w .-]+\.ics"; filename\*=UTF-8''/,
    );
    const text: string = answer.body;
    for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    const { data } = await readAll(world, eventsPath(account), { ...WINDOW, expandRecurrences: true });
    const listed = data.map((event) => `${Date.parse(event.start.dateTime)} ${event.title}`);
    expect(occurrencesOf(text, SPAN).sort()).toEqual(listed.sort());
    expect(listed).toHaveLength(11);
  });

  it('keeps each series in one group, which reads back', async () => {
    const { body: text } = await world.call('GET', path);
    const [reading] = readCalendars(text);
    const shapes = (reading?.groups ?? []).map(
      (group) => `${group.master?.content?.title} +${group.exceptions.length}`,
    );
    expect(shapes.sort()).toEqual(['Lunch; with, "Zoë" +0', 'Stand-up +2', 'Trip +0']);
    const [event] = new ICAL.Component(ICAL.parse(text))
      .getAllSubcomponents('vevent')
      .filter((each) => String(each.getFirstPropertyValue('summary')).startsWith('Lunch'));
    expect(event?.getFirstPropertyValue('location')).toBe('Room \\ 3');
    expect(event?.getFirstPropertyValue('description')).toMatch(/^Line one\nline two/);
    expect(event?.getFirstProperty('attendee')?.getParameter('cn')).toBe('Ann');
  });

  it('is not sent again to a client that holds it, and changes with the calendar', async () => {
    const first = await world.call('GET', path);
    const etag = first.headers.get('etag') ?? '';
    const held = await world.call('GET', path, { headers: { 'if-none-match': etag } });
    expect([held.status, held.body]).toEqual([304, '']);
    const made = await world.call('POST', eventsPath(account), {
      body: { title: 'New', start: at('2026-05-01T09:00:00') },
    });
    expect((await world.call('GET', path, { headers: { 'if-none-match': etag } })).status).toBe(200);
    body(await world.call('DELETE', eventsPath(account, body(made, 201).id)));
    expect((await world.call('HEAD', path)).headers.get('content-length'), 'nothing reads it to measure it').toBeNull();
  });

  it('is the application’s own, and of a calendar that is there', async () => {
    const other = await secondApplication(world);
    expectProblem(await world.call('GET', path, { key: other.key }), 404, 'NotFound');
    const gone = `${calendarsPath(account.accountId, 'no-such-calendar')}/export`;
    expectProblem(await world.call('GET', gone), 404, 'NotFound');
  });
});

it('reads no further ahead than it is asked', async () => {
  const storage = sqlite({ path: ':memory:' });
  let reads = 0;
  const readListed: typeof storage.mirror.readListed = (...args) => {
    reads += 1;
    return storage.mirror.readListed(...args);
  };
  const counted = await createWorld({ storage: { ...storage, mirror: { ...storage.mirror, readListed } } });
  try {
    const account = await counted.connect('google');
    const { accountId, calendarId } = account;
    const text = Array.from({ length: 1_000 }, (_, index) =>
      ['BEGIN:VEVENT', `UID:e${index}`, 'DTSTART:20260302T090000Z', `SUMMARY:Event ${index}`, 'END:VEVENT'].join(
        '\r\n',
      ),
    );
    const ics = ['BEGIN:VCALENDAR', ...text, 'END:VCALENDAR'].join('\r\n');
    importIcs(counted.sandbox.google, { email: account.email, text: ics, into: 'primary' });
    await readAll(counted, eventsPath(account));
    reads = 0;
    const { applicationId } = counted;
    const exported = await counted.engine.events.export({ applicationId }, accountId, calendarId);
    let parts = 0;
    for await (const _ of exported.text) {
      parts += 1;
      if (parts === 40) expect(reads, 'fifty events at first').toBe(1);
      if (parts === 60) expect(reads, '256 events at a time').toBe(2);
    }
    expect([parts, reads]).toEqual([1_002, 5]);
  } finally {
    await counted.close();
  }
});
