import type { CalendarRef, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readZone } from '../../src/events/event-zones.ts';
import { ADA, collect, createHarness, type Harness, nextRequestId, onlyEvent, onlySeries } from '../harness.ts';

let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;

beforeEach(async () => {
  harness = await createHarness();
  session = await harness.session(ADA);
  calendar = await harness.primary(ADA);
});
afterEach(() => harness.close());

const pull = async () => (await collect(harness.provider.events.pull(session, calendar, null))).changes;
const at = (dateTime: string, timeZone = 'Europe/Berlin') => ({ dateTime, timeZone });

describe('zone names', () => {
  const CUSTOM = ['tzone://Microsoft/Custom', '(UTC+01:00) Amsterdam, Berlin, Rome', 'Mid-Atlantic Standard Time'];
  const labels = [...CUSTOM, 'Kamchatka Standard Time', 'Customized Time Zone', 'GMT+25:30'];

  async function labelled(parts: readonly string[], label: string) {
    await harness.graph(ADA, 'POST', 'me/events', {
      subject: 'series',
      start: at('2026-03-27T09:00:00'),
      end: at('2026-03-27T10:00:00'),
      recurrence: { pattern: { type: 'daily', interval: 1 }, range: { type: 'noEnd', startDate: '2026-03-27' } },
    });
    harness.control('setZoneLabel', { email: ADA, label, parts });
    return onlySeries(await pull()).master.content?.start;
  }

  test.each(labels)('"%s" is passed over where another field has a zone', async (label) => {
    for (const parts of [['recurrence'], ['recurrence', 'start'], ['start', 'end']]) {
      await harness.close();
      harness = await createHarness();
      session = await harness.session(ADA);
      const start = await labelled(parts, label);
      expect(start, parts.join()).toEqual({ dateTime: '2026-03-27T09:00:00+01:00', timeZone: 'Europe/Berlin' });
    }
  });

  test('where no field has one, the calendar has', async () => {
    const start = await labelled(['recurrence', 'start', 'end'], 'tzone://Microsoft/Custom');
    expect(start).toEqual({ dateTime: '2026-03-27T04:00:00-04:00', timeZone: 'America/New_York' });
  });

  test.each([
    ['tzone://Microsoft/Utc', 'UTC'],
    ['(UTC) Coordinated Universal Time', 'UTC'],
    ['GMT+01:00', 'Etc/GMT-1'],
    ['UTC-0500', 'Etc/GMT+5'],
    ['GMT+00:00', 'UTC'],
    ['GMT+05:30', undefined],
    ['GMT+01:00 (Berlin)', undefined],
    ['', undefined],
  ])('"%s" is %s', (name, zone) => {
    expect(readZone(name)).toBe(zone);
  });
});

describe('odd times', () => {
  const create = (body: object) =>
    harness.graph(ADA, 'POST', 'me/events', {
      subject: 'odd',
      start: at('2026-03-27T09:00:00', 'UTC'),
      end: at('2026-03-27T10:00:00', 'UTC'),
      ...body,
    });
  const setTimes = (start: string, end: string) =>
    harness.control('setEventTimes', { email: ADA, subject: 'odd', start, end });
  const times = async () => {
    const content = onlyEvent(await pull()).content;
    return [content?.start.dateTime, content?.end.dateTime];
  };

  test('an end before its start is no time at all', async () => {
    await create({});
    setTimes('2026-03-27T09:00:00Z', '2026-03-27T08:00:00Z');
    expect(await times()).toEqual(['2026-03-27T09:00:00+00:00', '2026-03-27T09:00:00+00:00']);
  });

  test.each(['2026-03-27', '2026-03-20'])('an all-day end of %s is one day', async (end) => {
    const days = { start: at('2026-03-27T00:00:00', 'UTC'), end: at('2026-03-28T00:00:00', 'UTC') };
    await create({ isAllDay: true, ...days });
    setTimes('2026-03-27T00:00:00Z', `${end}T00:00:00Z`);
    expect(await times()).toEqual(['2026-03-27T00:00:00', '2026-03-28T00:00:00']);
  });

  test('the last moment of the year 9999 is set aside, and costs no other event', async () => {
    const { id } = await create({});
    await create({ subject: 'beside' });
    setTimes('9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z');
    expect(await pull()).toEqual([
      { kind: 'unreadable', providerEventId: id, seriesId: null, reason: expect.stringContaining('1 to 9999') },
      { kind: 'event', event: expect.objectContaining({ content: expect.objectContaining({ title: 'beside' }) }) },
    ]);
  });
});

test('Exchange is waited for while it is busy with a new event', async () => {
  harness.control('setConflictsAfterCreation', { ms: 3_000 });
  const input = {
    title: 'new',
    start: at('2026-03-27T09:00:00+01:00'),
    end: at('2026-03-27T10:00:00+01:00'),
  };
  const { events } = harness.provider;
  const current = onlyEvent(await events.create(session, calendar, input, { requestId: nextRequestId() }));
  const target = { kind: 'event', providerEventId: current.providerEventId, current } as const;
  const ifMatch = { ifMatch: current.providerTag ?? '' };
  const changed = onlyEvent(await events.update(session, calendar, target, { title: 'changed' }, ifMatch));
  expect(changed.content?.title).toBe('changed');
  harness.control('setConflictsAfterCreation', { ms: 3_600_000 });
  await expect(events.update(session, calendar, target, { title: 'again' }, {})).rejects.toMatchObject({
    reason: 'unavailable',
  });
});

test.each([
  'ResourceNotFound',
  'MailboxNotEnabledForRESTAPI',
])('a mailbox that is out of reach (%s) says so', async (code) => {
  harness.control('setMailboxUnreachable', { email: ADA, code });
  await expect(harness.primary(ADA)).rejects.toMatchObject({
    reason: 'forbidden',
    message: expect.stringContaining('unlicensed'),
  });
  await expect(pull()).rejects.toMatchObject({ reason: 'forbidden' });
});

test('a page that times out is asked for with half its size', async () => {
  for (let number = 0; number < 60; number += 1) {
    const point = at('2026-03-27T09:00:00', 'UTC');
    await harness.graph(ADA, 'POST', 'me/events', { subject: `e${number}`, start: point, end: point });
  }
  const asked: (string | null)[] = [];
  const slow = harness.providerWith({
    limits: { pageSize: 100 },
    retry: { attempts: 1 },
    fetch: (input, init) => {
      const { pathname, searchParams } = new URL(String(input));
      const size = searchParams.get('$top');
      if (!pathname.endsWith('/events')) return fetch(input, init);
      asked.push(size);
      return Number(size) > 30 ? Promise.resolve(new Response('', { status: 504 })) : fetch(input, init);
    },
  });
  const { changes } = await collect(slow.events.pull(session, calendar, null));
  expect(new Set(changes.map((change) => change.kind === 'event' && change.event.content?.title)).size).toBe(60);
  const events = ['100', '50', '25', '25', '25'];
  const ids = ['400', '200', '100', '50', '25', '25', '25'];
  expect(asked).toEqual([...events, ...ids]);
});
