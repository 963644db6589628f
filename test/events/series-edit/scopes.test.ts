import type { CalendarEvent } from 'kalends/model';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScopedWorld, type ScopedWorld } from './scoped-world.ts';

let world: ScopedWorld;

const WINDOW = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-09-01T00:00:00Z', timeZone: 'UTC' };
const nine = (date: string) => ({ dateTime: `${date}T09:00:00`, timeZone: 'America/New_York' });
const ten = (date: string) => ({ dateTime: `${date}T10:00:00`, timeZone: 'America/New_York' });
const code = (error: string) => expect.objectContaining({ code: error });

/** Occurrences in the window as `date time title`. */
async function shown(): Promise<readonly string[]> {
  const data = await world.list({ ...WINDOW, expandRecurrences: 'true', orderBy: 'startDateTime' });
  return data.map(({ start, title }) => `${start.dateTime.slice(5, 16)} ${title}`);
}
const series = (recurrence = ['RRULE:FREQ=WEEKLY;COUNT=5']): Promise<CalendarEvent> =>
  world.create({ title: 'a', start: nine('2026-04-06'), end: ten('2026-04-06'), recurrence });
const idOf = ({ id }: CalendarEvent, date: string) => `${id}_${date.replaceAll('-', '')}T130000Z`;

describe.each(['google', 'microsoft'] as const)('%s', (name) => {
  beforeEach(async () => {
    world = await createScopedWorld(name);
  });
  afterEach(async () => {
    // The provider has exactly what was written.
    await world.expectSynced();
    await world.close();
  });

  test('this changes one occurrence', async () => {
    const master = await series();
    const changed = await world.put(idOf(master, '2026-04-13'), { title: 'b' }, 'this');
    expect(changed).toMatchObject({ title: 'b', recurringEventId: master.id });
    expect(await shown()).toEqual([
      '04-06T13:00 a',
      '04-13T13:00 b',
      '04-20T13:00 a',
      '04-27T13:00 a',
      '05-04T13:00 a',
    ]);
  });

  test.each(['all', 'following'] as const)('%s is refused a start or an end that the clocks skip', async (scope) => {
    const master = await world.create({
      title: 'a',
      start: { dateTime: '2026-03-06T01:00:00', timeZone: 'America/New_York' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
    });
    const at = (time: string) => ({ dateTime: `2026-03-08T${time}:00`, timeZone: 'America/New_York' });
    const move = (start: string, end: string, reach: 'this' | 'following' | 'all') =>
      world.put(`${master.id}_20260308T060000Z`, { start: at(start), end: at(end) }, reach);
    await expect(move('02:30', '03:30', scope)).rejects.toMatchObject({ status: 400, paths: ['start'] });
    await expect(move('01:30', '02:30', scope)).rejects.toMatchObject({ status: 400, paths: ['end'] });
    await move('02:30', '03:45', 'this');
    expect((await shown()).map((line) => line.slice(0, 11))).toContain('03-08T07:30');
  });

  test('following changes it and all later ones, in a series of their own', async () => {
    const master = await series();
    const start = { dateTime: '2026-04-21T11:00:00-04:00' };
    const end = { dateTime: '2026-04-21T11:30:00-04:00' };
    const next = await world.put(idOf(master, '2026-04-20'), { title: 'b', start, end }, 'following');
    expect(next).toMatchObject({
      title: 'b',
      recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'],
      privateExtendedProperties: { 'kalends.follows': master.id },
    });
    expect(await world.get(master.id)).toMatchObject({
      recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'],
      privateExtendedProperties: { 'kalends.followedBy': next.id },
    });
    expect(await shown()).toEqual([
      '04-06T13:00 a',
      '04-13T13:00 a',
      '04-21T15:00 b',
      '04-28T15:00 b',
      '05-05T15:00 b',
    ]);
  });

  test.each(['following', 'all'] as const)('%s over midnight takes the exceptions along', async (scope) => {
    const at = (dateTime: string) => ({ dateTime, timeZone: 'America/New_York' });
    const { id } = await world.create({
      title: 'a',
      start: at('2026-04-06T23:30:00'),
      end: at('2026-04-06T23:45:00'),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=6'],
    });
    await world.remove(`${id}_20260410T033000Z`);
    await world.put(`${id}_20260411T033000Z`, { title: 'special' });
    const times = { start: at('2026-04-09T00:15:00'), end: at('2026-04-09T00:30:00') };
    await world.put(`${id}_20260409T033000Z`, { title: 'b', ...times }, scope);
    const before = scope === 'all' ? ['04-07T04:15 b', '04-08T04:15 b'] : ['04-07T03:30 a', '04-08T03:30 a'];
    expect(await shown()).toEqual([...before, '04-09T04:15 b', '04-11T04:15 special', '04-12T04:15 b']);
  });

  test('following at the first living occurrence takes the exceptions along over midnight, with a rule too', async () => {
    const at = (dateTime: string) => ({ dateTime, timeZone: 'America/New_York' });
    const { id } = await world.create({
      title: 'a',
      start: at('2026-04-06T23:30:00'),
      end: at('2026-04-06T23:45:00'),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=6'],
    });
    await world.remove(`${id}_20260407T033000Z`);
    await world.remove(`${id}_20260410T033000Z`);
    await world.put(`${id}_20260411T033000Z`, { title: 'special' });
    const times = { start: at('2026-04-08T00:15:00'), end: at('2026-04-08T00:30:00') };
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=5'];
    await world.put(`${id}_20260408T033000Z`, { title: 'b', ...times, recurrence }, 'following');
    expect(await shown()).toEqual(['04-08T04:15 b', '04-09T04:15 b', '04-11T04:15 special', '04-12T04:15 b']);
  });

  test('all moves the series by the difference', async () => {
    const master = await series(['RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20260504T130000Z']);
    await world.put(idOf(master, '2026-04-13'), { title: 'special' });
    const start = { dateTime: '2026-04-21T11:00:00', timeZone: 'America/New_York' };
    const end = { dateTime: '2026-04-21T11:30:00', timeZone: 'America/New_York' };
    const moved = await world.put(idOf(master, '2026-04-20'), { start, end }, 'all');
    expect(moved).toMatchObject({ id: master.id, recurrence: ['RRULE:FREQ=WEEKLY;UNTIL=20260505T150000Z;BYDAY=TU'] });
    // The exception was one of a Monday, of which there are none any more.
    expect(await shown()).toEqual([
      '04-07T15:00 a',
      '04-14T15:00 a',
      '04-21T15:00 a',
      '04-28T15:00 a',
      '05-05T15:00 a',
    ]);
  });

  test('a new time of day or rule keeps what was done to the days that remain', async () => {
    const master = await series(['RRULE:FREQ=DAILY;COUNT=6']);
    await world.put(idOf(master, '2026-04-07'), { title: 'special' });
    await world.remove(idOf(master, '2026-04-08'));
    const own = { start: { dateTime: '2026-04-09T15:00:00Z' }, end: { dateTime: '2026-04-09T16:00:00Z' } };
    await world.put(idOf(master, '2026-04-09'), own);
    await world.put(master.id, {
      start: { dateTime: '2026-04-06T14:00:00Z' },
      end: { dateTime: '2026-04-06T15:00:00Z' },
    });
    expect(await shown()).toEqual([
      '04-06T14:00 a',
      '04-07T14:00 special',
      '04-09T15:00 a',
      '04-10T14:00 a',
      '04-11T14:00 a',
    ]);
    await world.put(master.id, { recurrence: ['RRULE:FREQ=DAILY;INTERVAL=3;COUNT=4'] });
    expect(await shown()).toEqual(['04-06T14:00 a', '04-09T15:00 a', '04-12T14:00 a', '04-15T14:00 a']);
  });

  test('a cancelled occurrence comes back by an update, and the others stay as they are', async () => {
    const master = await series();
    await world.remove(idOf(master, '2026-04-13'));
    await world.remove(idOf(master, '2026-04-20'));
    await world.put(idOf(master, '2026-04-27'), { title: 'special' });
    const cancelled = await world.get(idOf(master, '2026-04-13'));
    expect(cancelled.isCancelled).toBe(true);
    // Sent back as it was read, it stays cancelled.
    expect(await world.put(cancelled.id, cancelled)).toEqual(cancelled);
    await expect(world.put(cancelled.id, { ...cancelled, title: 'b' })).rejects.toEqual(code('InvalidRequest'));
    const back = await world.put(cancelled.id, { isCancelled: false });
    expect(back).toMatchObject({ id: cancelled.id, isCancelled: false, title: 'a' });
    expect(await shown()).toEqual(['04-06T13:00 a', '04-13T13:00 a', '04-27T13:00 special', '05-04T13:00 a']);
    await world.put(idOf(master, '2026-04-20'), { title: 'b', isCancelled: false });
    expect(await shown()).toContain('04-20T13:00 b');
  });

  test('DELETE this, following and all', async () => {
    const master = await series();
    await world.put(idOf(master, '2026-04-13'), { title: 'special' });
    await world.remove(idOf(master, '2026-05-04'), 'this');
    await world.remove(idOf(master, '2026-04-27'), 'following');
    expect(await shown()).toEqual(['04-06T13:00 a', '04-13T13:00 special', '04-20T13:00 a']);
    await world.remove(idOf(master, '2026-04-13'), 'all');
    expect(await shown()).toEqual([]);
  });

  test('following at the first occurrence is all', async () => {
    const master = await series();
    const changed = await world.put(idOf(master, '2026-04-06'), { title: 'b' }, 'following');
    expect(changed).toMatchObject({ id: master.id, title: 'b' });
    expect(new Set((await shown()).map((row) => row.slice(-1)))).toEqual(new Set(['b']));
    await world.remove(idOf(master, '2026-04-06'), 'following');
    expect(await shown()).toEqual([]);
  });

  test('isCancelled is a deletion of the same reach', async () => {
    const master = await series();
    const answer = await world.put(idOf(master, '2026-04-20'), { isCancelled: true }, 'following');
    expect(answer).toMatchObject({ id: idOf(master, '2026-04-20'), isCancelled: true });
    expect(await shown()).toEqual(['04-06T13:00 a', '04-13T13:00 a']);
  });

  test('a record that is sent back as it was read changes nothing', async () => {
    const master = await series();
    const id = idOf(master, '2026-04-13');
    await world.put(id, { title: 'special' });
    const before = await shown();
    const record = await world.get(id);
    expect(await world.put(id, record, 'following')).toEqual(record);
    expect(await world.put(id, record, 'all')).toEqual(record);
    expect(await shown()).toEqual(before);
    // With one field changed, only that one reaches the others.
    await world.put(id, { ...record, location: 'roof' }, 'all');
    expect(await shown()).toEqual(before);
    expect(await world.get(master.id)).toMatchObject({ title: 'a', location: 'roof' });
  });

  test('scopes that a record does not have are refused', async () => {
    const master = await series();
    const single = await world.create({ title: 'b', start: nine('2026-04-08') });
    for (const [id, scope] of [
      [master.id, 'this'],
      [master.id, 'following'],
      [single.id, 'following'],
    ] as const) {
      await expect(world.put(id, { title: 'c' }, scope)).rejects.toEqual(code('InvalidRequest'));
      await expect(world.remove(id, scope)).rejects.toEqual(code('InvalidRequest'));
    }
    await world.put(single.id, { title: 'c' }, 'this');
    await world.put(master.id, { title: 'c' }, 'all');
  });

  test('a condition that does not hold stops every scope', async () => {
    const master = await series();
    const id = idOf(master, '2026-04-20');
    const { etag } = await world.get(id);
    await world.put(master.id, { title: 'b' });
    for (const scope of ['this', 'following', 'all'] as const) {
      await expect(world.put(id, { title: 'c' }, scope, etag)).rejects.toEqual(code('PreconditionFailed'));
      await expect(world.remove(id, scope, etag)).rejects.toEqual(code('PreconditionFailed'));
    }
    const fresh = (await world.get(id)).etag;
    expect(await world.put(id, { title: 'c' }, 'following', fresh)).toMatchObject({ title: 'c' });
  });

  test('the new half has its guests, with the answers that can be written, and a meeting of its own', async () => {
    const guest = await world.world.connect(name);
    const provider = name === 'google' ? 'hangoutsMeet' : 'teamsForBusiness';
    const body = {
      title: 'a',
      start: nine('2026-04-06'),
      end: ten('2026-04-06'),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
    };
    const more = { attendees: [{ email: guest.email }], generateMeetingUrlProvider: provider, description: 'about' };
    const master = await world.create({ ...body, ...more, privateExtendedProperties: { k: 'v' } });
    if (name === 'google') {
      const answer = { attendees: [{ email: guest.email, responseStatus: 'accepted' }] };
      const path = `/calendars/primary/events/${encodeURIComponent(master.id)}`;
      await world.world.atProvider('google', guest.email, 'PATCH', path, answer);
    }
    const next = await world.put(idOf(master, '2026-04-08'), { title: 'b' }, 'following');
    expect(next).toMatchObject({
      title: 'b',
      description: 'about',
      privateExtendedProperties: { k: 'v', 'kalends.follows': master.id },
      generateMeetingUrlProvider: provider,
    });
    expect(next.attendees).toContainEqual(
      expect.objectContaining({
        email: guest.email,
        responseStatus: name === 'google' ? 'accepted' : 'needsAction',
      }),
    );
    const old = await world.get(master.id);
    expect((await world.get(next.id)).conferenceData?.joinUrl).toMatch(/^https:/);
    expect((await world.get(next.id)).conferenceData?.joinUrl).not.toBe(old.conferenceData?.joinUrl);
  });

  test('following in an all-day series', async () => {
    const start = { dateTime: '2026-04-06' };
    const master = await world.create({
      title: 'a',
      start,
      isAllDay: true,
      recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260410'],
    });
    await world.put(`${master.id}_20260407`, { title: 'special' });
    await world.remove(`${master.id}_20260409`);
    const next = await world.put(`${master.id}_20260408`, { title: 'b', end: { dateTime: '2026-04-10' } }, 'following');
    expect(next).toMatchObject({ isAllDay: true, recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260410'] });
    const rows = await world.list({ ...WINDOW, expandRecurrences: 'true', orderBy: 'startDateTime' });
    expect(
      rows.map((row) => `${row.start.dateTime.slice(5, 10)} ${row.end.dateTime.slice(5, 10)} ${row.title}`),
    ).toEqual(['04-06 04-07 a', '04-07 04-08 special', '04-08 04-10 b', '04-10 04-12 b']);
  });
});
