import type { CalendarEvent, EventCreate, EventUpdate, RsvpBody } from 'kalends/model';
import { ProviderError } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { allDay, fakeEvent, newYork } from '../../mirror/fake-events.ts';
import { fakeCalendar } from '../../mirror/fake-provider.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../../mirror/sync-world.ts';

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
});
afterEach(() => world.close());

const create = (body: object) => world.events.create(CALLER, ACCOUNT, CALENDAR, body as EventCreate);
const get = (id: string, query = {}) => world.events.get(CALLER, ACCOUNT, CALENDAR, id, query);
const update = (id: string, body: EventUpdate, request = {}) =>
  world.events.update(CALLER, ACCOUNT, CALENDAR, id, body, request);
const remove = (id: string, request = {}) => world.events.delete(CALLER, ACCOUNT, CALENDAR, id, request);
const respond = (id: string, responseStatus: RsvpBody['responseStatus']) =>
  world.events.respond(CALLER, ACCOUNT, CALENDAR, id, { responseStatus });
const writes = () => world.fake.calls.filter((call) => /create|update|delete|respond/.test(call));
const seedSeries = (content = {}) =>
  world.fake.put(
    CALENDAR,
    fakeEvent('s', {
      ...newYork('2026-03-02', '09:00', '10:00'),
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4'],
      ...content,
    }),
  );
const SECOND = 's_20260309T130000Z';

describe('times of a new event', () => {
  test.each([
    [
      'wall time in the named zone',
      { start: { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' } },
      '2026-03-02T09:00:00+01:00',
      'Europe/Berlin',
      '2026-03-02T10:00:00+01:00',
    ],
    [
      "wall time in the calendar's zone",
      { start: { dateTime: '2026-03-02T09:00' } },
      '2026-03-02T09:00:00-05:00',
      'America/New_York',
      '2026-03-02T10:00:00-05:00',
    ],
    [
      'an instant, shown in the named zone',
      { start: { dateTime: '2026-03-02T09:00:00Z', timeZone: 'Asia/Tokyo' } },
      '2026-03-02T18:00:00+09:00',
      'Asia/Tokyo',
      '2026-03-02T19:00:00+09:00',
    ],
    [
      'a Windows zone',
      { start: { dateTime: '2026-03-02T09:00:00', timeZone: 'W. Europe Standard Time' } },
      '2026-03-02T09:00:00+01:00',
      'Europe/Berlin',
      '2026-03-02T10:00:00+01:00',
    ],
    [
      'an alias as it was spelled',
      { start: { dateTime: '2026-03-02T09:00:00', timeZone: 'Asia/Calcutta' } },
      '2026-03-02T09:00:00+05:30',
      'Asia/Calcutta',
      '2026-03-02T10:00:00+05:30',
    ],
    [
      'a time in a gap',
      { start: { dateTime: '2026-03-08T02:30:00' } },
      '2026-03-08T03:30:00-04:00',
      'America/New_York',
      '2026-03-08T04:30:00-04:00',
    ],
    [
      'a plain date',
      { start: { dateTime: '2026-03-02' } },
      '2026-03-02T00:00:00',
      'America/New_York',
      '2026-03-03T00:00:00',
    ],
    [
      'all-day at midnight',
      { isAllDay: true, start: { dateTime: '2026-03-02T00:00:00.000Z' }, end: { dateTime: '2026-03-04' } },
      '2026-03-02T00:00:00',
      'America/New_York',
      '2026-03-04T00:00:00',
    ],
  ])('%s', async (_name, body, start, timeZone, end) => {
    const event = await create({ title: 't', ...body });
    expect(event.start).toEqual({ dateTime: start, timeZone });
    expect(event.end.dateTime).toBe(end);
    expect(event.isAllDay).toBe(!/[+-]\d\d:\d\d$/.test(start));
  });

  test.each([
    [{ start: { dateTime: '2026-03-02T09:00:00', timeZone: 'Mars/Olympus' } }, 'start.timeZone'],
    [{ start: { dateTime: '2026-03-02T09:00:00', timeZone: '+02:00' } }, 'start.timeZone'],
    [{ start: { dateTime: '2026-02-30T09:00:00' } }, 'start.dateTime'],
    [{ start: { dateTime: 'tomorrow' } }, 'start.dateTime'],
    [{ start: { dateTime: '2026-03-02T09:00:00' }, end: { dateTime: '2026-03-02T08:59:59' } }, 'end'],
    [{ start: { dateTime: '2026-03-02' }, end: { dateTime: '2026-03-02' } }, 'end'],
    [{ start: { dateTime: '2026-03-02T09:00:00' }, isAllDay: true }, 'start.dateTime'],
    [{ start: { dateTime: '2026-03-02' }, isAllDay: false }, 'start.dateTime'],
    [{}, 'start'],
    [{ start: { dateTime: '2026-03-02T09:00:00' }, recurrence: ['RRULE:FREQ=HOURLY'] }, 'recurrence'],
    [{ start: { dateTime: '2026-03-02T09:00:00' }, recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU'] }, 'start'],
    [{ start: { dateTime: '2026-03-02T09:00:00' }, isCancelled: true }, 'isCancelled'],
    [{ start: { dateTime: '2026-03-02T09:00:00' }, colour: 'red' }, 'colour'],
    [{ start: { dateTime: '2026-03-02T09:00:00' }, title: 'x'.repeat(1025) }, 'title'],
  ])('refuses %j naming %s', async (body, path) => {
    await expect(create({ title: 't', ...body })).rejects.toMatchObject({
      code: 'InvalidRequest',
      details: [{ path }],
    });
    expect(writes()).toEqual([]);
  });
});

describe('a new event', () => {
  test('has its fields, is in the mirror at once, and ignores what is read-only', async () => {
    const event = await create({
      id: 'mine',
      etag: 'x',
      webLink: 'x',
      organizer: { email: 'x@example.com' },
      isRecurring: true,
      title: 'plan',
      location: 'room',
      start: { dateTime: '2026-03-02T09:00:00' },
      recurrence: ['FREQ=WEEKLY;BYDAY=MO'],
      attendees: [{ email: 'bob@example.com' }],
      privateExtendedProperties: { k: 'v' },
    });
    expect(event).toMatchObject({ title: 'plan', recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO'], isRecurring: true });
    expect(event.id).not.toBe('mine');
    expect(event.etag).toMatch(/^"[\w-]{22}"$/);
    expect(await get(event.id)).toEqual(event);
  });

  test('refuses derived fields with other values', async () => {
    const body = { title: 't', start: { dateTime: '2026-03-02T09:00:00' } };
    for (const field of [
      { isRecurring: true },
      { isException: true },
      { recurringEventId: 's' },
      { myResponseStatus: 'declined' },
    ]) {
      await expect(create({ ...body, ...field })).rejects.toMatchObject({
        code: 'UnsupportedByProvider',
        status: 422,
        details: [{ path: Object.keys(field)[0] }],
      });
    }
  });

  test('is refused on a read-only calendar', async () => {
    world.fake.putCalendar(fakeCalendar(CALENDAR, { readOnly: true }));
    await expect(create({ title: 't', start: { dateTime: '2026-03-02T09:00:00' } })).rejects.toMatchObject({
      code: 'CalendarReadOnly',
      status: 403,
    });
  });
});

describe('an update', () => {
  beforeEach(() => {
    world.fake.put(CALENDAR, fakeEvent('a', { ...newYork('2026-03-04', '12:00', '13:00'), description: 'old' }));
  });

  test('changes what is sent and nothing else; null clears', async () => {
    const event = await update('a', { title: 'new', description: null });
    expect(event).toMatchObject({ title: 'new', description: '', start: { dateTime: '2026-03-04T12:00:00-05:00' } });
    expect(await get('a')).toEqual(event);
  });

  test('takes back what was read, in any display zone, without a write', async () => {
    const before = writes().length;
    const whole = await get('a');
    const { title: _, location: __, visibility: ___, transparency: ____, ...rest } = whole;
    expect(await update('a', rest)).toEqual(whole);
    expect(writes().length).toBe(before);
    expect(await update('a', whole)).toEqual(whole);
  });

  test('is not held to lengths of fields that do not change', async () => {
    world.fake.put(CALENDAR, fakeEvent('long', { title: 'x'.repeat(2000) }));
    const whole = await get('long');
    await expect(update('long', { ...whole, title: `${whole.title}y` })).rejects.toMatchObject({
      details: [{ path: 'title' }],
    });
    expect((await update('long', { ...whole, location: 'here' })).location).toBe('here');
  });

  test('refuses derived fields with other values, naming them', async () => {
    for (const field of [
      { isRecurring: true },
      { webLink: 'x' },
      { organizer: { email: 'x' } },
      { originalStart: { date: '2026-03-04' } },
    ]) {
      await expect(update('a', field)).rejects.toMatchObject({
        code: 'UnsupportedByProvider',
        details: [{ path: Object.keys(field)[0] }],
      });
    }
  });

  test.each([
    [
      'the start alone leaves the end',
      { start: { dateTime: '2026-03-04T11:00:00' } },
      '2026-03-04T11:00:00-05:00',
      '2026-03-04T13:00:00-05:00',
    ],
    [
      'another zone of the same wall time',
      { start: { dateTime: '2026-03-04T09:00:00', timeZone: 'America/Denver' } },
      '2026-03-04T09:00:00-07:00',
      '2026-03-04T13:00:00-05:00',
    ],
    ['to all-day', { isAllDay: true }, '2026-03-04T00:00:00', '2026-03-05T00:00:00'],
    ['to all-day by a plain date', { start: { dateTime: '2026-03-06' } }, '2026-03-06T00:00:00', '2026-03-07T00:00:00'],
    [
      'the end back to its default',
      { end: null, start: { dateTime: '2026-03-04T14:00:00' } },
      '2026-03-04T14:00:00-05:00',
      '2026-03-04T15:00:00-05:00',
    ],
  ])('moves: %s', async (_name, body, start, end) => {
    expect(await update('a', body)).toMatchObject({ start: { dateTime: start }, end: { dateTime: end } });
  });

  test('makes an all-day event timed', async () => {
    world.fake.put(CALENDAR, fakeEvent('d', allDay('2026-03-05', '2026-03-07')));
    await expect(update('d', { start: { dateTime: '2026-03-05T09:00:00' } })).rejects.toMatchObject({
      details: [{ path: 'start.dateTime' }],
    });
    const event = await update('d', { isAllDay: false, start: { dateTime: '2026-03-05T09:00:00' } });
    expect(event).toMatchObject({ isAllDay: false, end: { dateTime: '2026-03-05T10:00:00-05:00' } });
  });

  test('cancels', async () => {
    expect(await update('a', { isCancelled: true })).toMatchObject({ isCancelled: true });
  });

  test('of an unknown id is not found; of one that is gone at the provider too, and it leaves the mirror', async () => {
    await expect(update('none', { title: 'x' })).rejects.toMatchObject({ code: 'NotFound' });
    await get('a');
    world.fake.events(CALENDAR).delete('a');
    await expect(update('a', { title: 'x' })).rejects.toMatchObject({ code: 'NotFound' });
    expect((await world.events.list(CALLER, ACCOUNT, CALENDAR, {})).data).toEqual([]);
  });
});

describe('If-Match', () => {
  let event: CalendarEvent;
  beforeEach(async () => {
    world.fake.put(CALENDAR, fakeEvent('a'));
    event = await get('a');
  });

  test('lets the present etag and * through', async () => {
    const changed = await update('a', { title: 'one' }, { ifMatch: event.etag });
    expect(changed.etag).not.toBe(event.etag);
    await update('a', { title: 'two' }, { ifMatch: '*' });
    await update('a', { title: 'three' }, { ifMatch: `"other", ${(await get('a')).etag}` });
  });

  test('stops a stale one', async () => {
    await update('a', { title: 'one' });
    for (const write of [update('a', { title: 'x' }, { ifMatch: event.etag }), remove('a', { ifMatch: event.etag })]) {
      await expect(write).rejects.toMatchObject({ code: 'PreconditionFailed', status: 412 });
    }
    await expect(update('a', { title: 'x' }, { ifMatch: 'bare' })).rejects.toMatchObject({
      details: [{ path: 'If-Match' }],
    });
  });

  test('stops a change that the mirror has not seen yet', async () => {
    world.fake.put(CALENDAR, fakeEvent('a', { title: 'theirs' }));
    await expect(update('a', { title: 'ours' }, { ifMatch: event.etag })).rejects.toMatchObject({
      code: 'PreconditionFailed',
    });
    expect((await get('a')).title).toBe('theirs');
  });

  test('is not stopped by a provider tag that moved without a change', async () => {
    world.fake.put(CALENDAR, world.fake.events(CALENDAR).get('a')!);
    expect((await update('a', { title: 'ours' }, { ifMatch: event.etag })).title).toBe('ours');
  });
});

describe('an occurrence', () => {
  beforeEach(() => {
    seedSeries();
  });

  test('is got by its id, with an etag of its own', async () => {
    const occurrence = await get(SECOND);
    expect(occurrence).toMatchObject({ id: SECOND, recurringEventId: 's', isException: true, recurrence: null });
    expect(occurrence.etag).not.toBe((await get('s')).etag);
    expect(occurrence.etag).not.toBe((await get('s_20260316T130000Z')).etag);
    expect(await get(SECOND, { timeZone: 'UTC' })).toMatchObject({
      start: { dateTime: '2026-03-09T13:00:00+00:00', timeZone: 'UTC' },
    });
    await expect(get('s_20260310T130000Z')).rejects.toMatchObject({ code: 'NotFound' });
    await expect(get('s_20260309')).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('is changed alone', async () => {
    const event = await update(SECOND, {
      title: 'moved',
      start: { dateTime: '2026-03-09T11:00:00' },
      end: { dateTime: '2026-03-09T12:00:00' },
    });
    expect(event).toMatchObject({ id: SECOND, title: 'moved', start: { dateTime: '2026-03-09T11:00:00-04:00' } });
    expect(event.originalStart).toMatchObject({ dateTime: '2026-03-09T09:00:00-04:00' });
    expect((await get('s_20260316T130000Z')).title).toBe('s');
    expect((await update(SECOND, { ...event, title: 'again' })).title).toBe('again');
  });

  test('is cancelled, keeps its record, and is restored', async () => {
    await remove(SECOND);
    expect(await get(SECOND)).toMatchObject({ isCancelled: true, title: 's' });
    const before = writes().length;
    await remove(SECOND);
    expect(writes().length).toBe(before);
    expect(await update(SECOND, { isCancelled: false })).toMatchObject({ isCancelled: false });
    expect(await update(SECOND, { isCancelled: true })).toMatchObject({ isCancelled: true });
  });

  test('has no recurrence of its own', async () => {
    await expect(update(SECOND, { recurrence: ['RRULE:FREQ=DAILY'] })).rejects.toMatchObject({
      details: [{ path: 'recurrence' }],
    });
  });

  test('goes with its series', async () => {
    await update(SECOND, { title: 'moved' });
    await remove('s');
    await expect(get(SECOND)).rejects.toMatchObject({ code: 'NotFound' });
    expect((await world.events.list(CALLER, ACCOUNT, CALENDAR, {})).data).toEqual([]);
  });

  test('of a series keeps the series on its rule', async () => {
    const times = { start: { dateTime: '2026-03-03T09:00:00' }, end: { dateTime: '2026-03-03T10:00:00' } };
    await expect(update('s', times)).rejects.toMatchObject({
      details: [{ path: 'start', message: expect.stringContaining('2026-03-09') }],
    });
    const moved = await update('s', { ...times, recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU'] });
    expect(moved.recurrence).toEqual(['RRULE:FREQ=WEEKLY;BYDAY=TU']);
  });
});

describe('answers', () => {
  beforeEach(() => {
    world.fake.put(CALENDAR, fakeEvent('invited', { myResponseStatus: 'needsAction' }, { isOrganizer: false }));
    world.fake.put(CALENDAR, fakeEvent('own'));
  });

  test('are given by rsvp and by myResponseStatus', async () => {
    await respond('invited', 'accepted');
    expect((await get('invited')).myResponseStatus).toBe('accepted');
    expect((await update('invited', { myResponseStatus: 'tentative' })).myResponseStatus).toBe('tentative');
    const calls = writes().length;
    await update('invited', { myResponseStatus: 'tentative' });
    expect(writes().length).toBe(calls);
  });

  test('of the organizer are refused', async () => {
    await expect(respond('own', 'accepted')).rejects.toMatchObject({ code: 'Forbidden', status: 403 });
    await expect(respond('own', 'maybe' as never)).rejects.toMatchObject({ code: 'InvalidRequest' });
  });
});

test('a failure of the provider has its public form', async () => {
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  world.fake.switches.fail = () => new ProviderError('unsupported', 'no focus time here', { field: 'eventType' });
  const body = { title: 't', start: { dateTime: '2026-03-02T09:00:00' }, eventType: 'focusTime' };
  await expect(create(body)).rejects.toMatchObject({ code: 'UnsupportedByProvider', details: [{ path: 'eventType' }] });
});

describe('the start of a series', () => {
  /** 01:30 in New York on the day that it comes twice. */
  const pass = (offset: string) => ({ dateTime: `2026-11-01T01:30:00${offset}`, timeZone: 'America/New_York' });
  const monthly = ['RRULE:FREQ=MONTHLY'];
  const refusal = expect.objectContaining({
    code: 'InvalidRequest',
    details: [expect.objectContaining({ path: 'start' })],
  });

  test('is not the second pass of an hour that the clocks repeat, which no wall time names', async () => {
    await expect(create({ title: 'a', start: pass('-05:00'), recurrence: monthly })).rejects.toEqual(refusal);
    const [single, series] = [
      await create({ title: 'a', start: pass('-05:00') }),
      await create({ title: 'a', start: pass('-04:00'), recurrence: monthly }),
    ];
    await expect(update(single.id, { recurrence: monthly })).rejects.toEqual(refusal);
    await expect(update(series.id, { start: pass('-05:00'), end: pass('-05:00') })).rejects.toEqual(refusal);
    await expect(
      update(series.id, { start: pass('-05:00'), end: pass('-05:00'), recurrence: ['RRULE:FREQ=DAILY'] }),
    ).rejects.toEqual(refusal);
  });

  test('is no time that the clocks skip, nor is the end: every occurrence would have the shifted one', async () => {
    const at = (time: string) => ({ dateTime: `2026-03-08T${time}`, timeZone: 'America/New_York' });
    const daily = ['RRULE:FREQ=DAILY'];
    const skipped = (path: string) =>
      expect.objectContaining({
        code: 'InvalidRequest',
        details: [{ path, message: expect.stringContaining('the clocks skip 2026-03-08T02:30:00') }],
      });
    const bodies = [
      [{ start: at('02:30:00') }, 'start'],
      [{ start: at('02:30:00'), end: at('03:30:00') }, 'start'],
      [{ start: at('01:30:00'), end: at('02:30:00') }, 'end'],
      [{ start: at('01:30:00') }, 'end'],
    ] as const;
    for (const [times, path] of bodies) {
      await expect(create({ title: 'a', ...times, recurrence: daily })).rejects.toEqual(skipped(path));
      const single = await create({ title: 'a', ...times });
      expect(single.start.dateTime).toBe(`2026-03-08T${path === 'start' ? '03:30:00-04:00' : '01:30:00-05:00'}`);
      const series = await create({ title: 'a', start: at('00:30:00'), recurrence: daily });
      await expect(update(series.id, { end: null, ...times })).rejects.toEqual(skipped(path));
      await expect(update(series.id, { end: null, ...times, recurrence: daily })).rejects.toEqual(skipped(path));
      await update(series.id, { end: null, ...times, recurrence: null });
    }
    const instants = { start: at('03:30:00-04:00'), end: at('04:00:00-04:00') };
    await create({ title: 'a', ...instants, recurrence: daily });
    for (const [times, path] of [
      [{ start: at('02:30:00-05:00'), end: at('03:30:00-04:00') }, 'start'],
      [{ start: at('01:30:00-05:00'), end: at('02:30:00-05:00') }, 'end'],
    ] as const) {
      await expect(create({ title: 'a', ...times, recurrence: daily })).rejects.toEqual(skipped(path));
      const series = await create({ title: 'a', start: at('00:30:00'), recurrence: daily });
      await expect(update(series.id, times)).rejects.toEqual(skipped(path));
      await create({ title: 'a', ...times });
    }
    // In UTC it is an instant, in a zone that is then beside UTC too.
    const utc = { dateTime: '2026-03-29T01:30:00Z', timeZone: 'Europe/London' };
    const london = await create({ title: 'a', start: utc, recurrence: daily });
    expect(london.start.dateTime).toBe('2026-03-29T02:30:00+01:00');
  });
});

test('UTC times in RDATE and EXDATE of an all-day series are dates of the calendar on creation and on update', async () => {
  const day = { start: { date: '2026-05-01' }, end: { date: '2026-05-02' } };
  const created = await create({ title: 'a', ...day, recurrence: ['RRULE:FREQ=DAILY', 'EXDATE:20260502T030000Z'] });
  expect(created.recurrence).toEqual(['RRULE:FREQ=DAILY', 'EXDATE;VALUE=DATE:20260501']);
  const updated = await update(created.id, { recurrence: ['RRULE:FREQ=DAILY', 'RDATE:20260503T040000Z'] });
  expect(updated.recurrence).toEqual(['RRULE:FREQ=DAILY', 'RDATE;VALUE=DATE:20260503']);
});
