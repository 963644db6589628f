import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freeBusyResult, typedFreeBusyResult } from './shapes.ts';
import { body, type Connected, calendarsPath, eventsPath, expectProblem } from './steps.ts';
import { createWorld, PROVIDERS, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe.each(PROVIDERS)('POST /v1/freeBusy of $providerType', ({ provider }) => {
  let account: Connected;
  let second: string;
  const event = async (fields: Readonly<Record<string, unknown>>, calendarId = account.calendarId) =>
    body(await world.call('POST', eventsPath({ ...account, calendarId }), { body: { title: 'Busy', ...fields } }), 201);
  const at = (dateTime: string, timeZone?: string) => ({ dateTime, ...(timeZone === undefined ? {} : { timeZone }) });
  const ask = (fields: Readonly<Record<string, unknown>> = {}) =>
    world.call('POST', `/v1/freeBusy/${account.accountId}`, {
      body: {
        startDateTime: '2026-03-02T08:00:00Z',
        endDateTime: '2026-03-06T00:00:00Z',
        timeZone: 'UTC',
        calendarIds: [account.calendarId],
        ...fields,
      },
    });
  const slots = async (fields: Readonly<Record<string, unknown>> = {}) =>
    body(await ask(fields))[0].busySlots.map((slot: Record<'start' | 'end', { dateTime: string }>) => [
      new Date(slot.start.dateTime).toISOString().slice(5, 16),
      new Date(slot.end.dateTime).toISOString().slice(5, 16),
    ]);

  beforeAll(async () => {
    account = await world.connect(provider);
    second = body(await world.call('POST', calendarsPath(account.accountId), { body: { name: 'Second' } }), 201).id;
    // Clipped at the window's start; then two that overlap, one that touches them, and the free, which do not count.
    await event({ start: at('2026-03-02T07:00:00Z'), end: at('2026-03-02T08:30:00Z') });
    await event({ start: at('2026-03-02T12:00:00Z'), end: at('2026-03-02T13:00:00Z') });
    await event({ start: at('2026-03-02T12:30:00Z'), end: at('2026-03-02T14:00:00Z') });
    await event({ start: at('2026-03-02T14:00:00Z'), end: at('2026-03-02T15:00:00Z') });
    await event({ start: at('2026-03-02T18:00:00Z'), end: at('2026-03-02T19:00:00Z'), transparency: 'transparent' });
    await event({ start: at('2026-03-03'), end: at('2026-03-04'), isAllDay: true, transparency: 'opaque' });
    await event({
      start: at('2026-03-04T09:00:00', 'America/New_York'),
      end: at('2026-03-04T10:00:00', 'America/New_York'),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
    });
  });

  it('is one element for each calendar, in the order asked, in the zone asked', async () => {
    const result = body(await ask({ timeZone: 'Asia/Tokyo', calendarIds: [second, account.calendarId] }));
    expect(freeBusyResult(result)).toBeUndefined();
    expect(result.map(({ calendarId }: { calendarId: string }) => calendarId)).toEqual([second, account.calendarId]);
    expect(result[0].busySlots).toEqual([]);
    expect(result[1].busySlots[0]).toEqual({
      start: { dateTime: '2026-03-02T17:00:00+09:00', timeZone: 'Asia/Tokyo' },
      end: { dateTime: '2026-03-02T17:30:00+09:00', timeZone: 'Asia/Tokyo' },
    });
  });

  it('merges, clips, sorts, expands; all-day events are busy in the zone of the calendar', async () => {
    expect(await slots()).toEqual([
      ['03-02T08:00', '03-02T08:30'],
      ['03-02T12:00', '03-02T15:00'],
      ['03-02T23:00', '03-03T23:00'],
      ['03-04T14:00', '03-04T15:00'],
      ['03-05T14:00', '03-05T15:00'],
    ]);
  });

  it('has types when asked: the strongest where events overlap, and slots of different types stay apart', async () => {
    const own = await world.connect(provider);
    const hour = (from: number, to: number, fields = {}) => ({
      title: 'Busy',
      start: at(`2026-04-01T${String(from).padStart(2, '0')}:00:00Z`),
      end: at(`2026-04-01T${String(to).padStart(2, '0')}:00:00Z`),
      ...fields,
    });
    const add = async (sent: Readonly<Record<string, unknown>>) =>
      body(await world.call('POST', eventsPath(own), { body: sent }), 201);
    await add(hour(8, 12, { showAs: 'tentative' }));
    await add(hour(9, 10));
    await add(hour(10, 11, { status: 'confirmed' }));
    await add(hour(12, 13));
    await add(hour(12, 20, { showAs: 'free' }));
    await add(hour(14, 16, { eventType: 'outOfOffice' }));
    await add(hour(15, 17));
    if (provider === 'microsoft') await add(hour(16, 18, { showAs: 'workingElsewhere' }));
    const typed = async (fields = {}) =>
      body(
        await world.call('POST', `/v1/freeBusy/${own.accountId}`, {
          body: {
            startDateTime: '2026-04-01T00:00:00Z',
            endDateTime: '2026-04-02T00:00:00Z',
            timeZone: 'UTC',
            calendarIds: [own.calendarId],
            ...fields,
          },
        }),
      );
    const result = await typed({ includeTypes: true });
    expect(typedFreeBusyResult(result)).toBeUndefined();
    const hours = (slot: Record<'start' | 'end', { dateTime: string }> & { type?: string }) => [
      new Date(slot.start.dateTime).getUTCHours(),
      new Date(slot.end.dateTime).getUTCHours(),
      ...(slot.type === undefined ? [] : [slot.type]),
    ];
    const last = provider === 'microsoft' ? 18 : 17;
    expect(result[0].busySlots.map(hours)).toEqual([
      [8, 9, 'tentative'],
      [9, 11, 'busy'],
      [11, 12, 'tentative'],
      [12, 13, 'busy'],
      [14, 16, 'oof'],
      [16, 17, 'busy'],
      ...(provider === 'microsoft' ? [[17, 18, 'workingElsewhere']] : []),
    ]);
    const plain = await typed();
    expect(freeBusyResult(plain)).toBeUndefined();
    expect(plain[0].busySlots.map(hours)).toEqual([
      [8, 13],
      [14, last],
    ]);
    expect(await typed({ includeTypes: false })).toEqual(plain);
  });

  it('reads times without offset in the zone of the query', async () => {
    const window = { startDateTime: '2026-03-02T07:00:00', endDateTime: '2026-03-02T08:00:00' };
    expect(await slots({ ...window, timeZone: 'America/New_York' })).toEqual([['03-02T12:00', '03-02T13:00']]);
  });

  it('takes Windows names of zones', async () => {
    const [{ busySlots }] = body(await ask({ timeZone: 'Tokyo Standard Time' }));
    expect(busySlots[0].start.timeZone).toBe('Asia/Tokyo');
  });

  it('does not count what the account has declined', async () => {
    const [host, guest] = [await world.connect(provider), await world.connect(provider)];
    const invitation = { title: 'Come', start: at('2026-03-05T18:00:00Z'), attendees: [{ email: guest.email }] };
    body(await world.call('POST', eventsPath(host), { body: invitation }), 201);
    const [invited] = body(await world.call('GET', eventsPath(guest))).data;
    const busyOfGuest = async () => {
      const window = { startDateTime: '2026-03-05T00:00:00Z', endDateTime: '2026-03-06T00:00:00Z', timeZone: 'UTC' };
      const sent = { ...window, calendarIds: [guest.calendarId] };
      return body(await world.call('POST', `/v1/freeBusy/${guest.accountId}`, { body: sent }))[0].busySlots;
    };
    expect(await busyOfGuest()).toHaveLength(1);
    const rsvp = `${eventsPath(guest, invited.id)}/rsvp`;
    expect(body(await world.call('POST', rsvp, { body: { responseStatus: 'declined' } }))).toEqual({ success: true });
    expect(await busyOfGuest()).toEqual([]);
  });

  it.each([
    ['startDateTime', { startDateTime: undefined }],
    ['startDateTime', { startDateTime: 'tomorrow' }],
    ['startDateTime', { startDateTime: 7 }],
    ['startDateTime', { startDateTime: '2026-02-30T00:00:00Z' }],
    ['endDateTime', { endDateTime: undefined }],
    ['endDateTime', { endDateTime: '2026-03-02T07:00:00Z' }],
    ['endDateTime', { startDateTime: '2026-01-01T00:00:00Z', endDateTime: '2027-01-03T00:00:00Z' }],
    ['timeZone', { timeZone: undefined }],
    ['timeZone', { timeZone: 'Nowhere' }],
    ['timeZone', { timeZone: '+01:00' }],
    ['calendarIds', { calendarIds: undefined }],
    ['calendarIds', { calendarIds: 'primary' }],
    ['calendarIds', { calendarIds: [] }],
    ['calendarIds', { calendarIds: Array.from({ length: 51 }, (_, index) => `c${index}`) }],
    ['calendarIds.0', { calendarIds: [7] }],
    ['includeTypes', { includeTypes: 'true' }],
    ['granularity', { granularity: 'coarse' }],
  ])('refuses a wrong %s: %j', async (path, wrong) => {
    expectProblem(await ask(wrong), 400, 'InvalidRequest', path);
  });

  it('takes a window of 366 days', async () => {
    body(await ask({ startDateTime: '2026-01-01T00:00:00Z', endDateTime: '2027-01-02T00:00:00Z' }));
  });

  it('404 for an unknown calendar', async () => {
    expectProblem(await ask({ calendarIds: [account.calendarId, 'unknown'] }), 404, 'NotFound', 'calendarIds.1');
  });
});
