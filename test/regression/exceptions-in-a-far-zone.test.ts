import { manualClock } from '@kalends/conformance';
import { describe, expect, it, onTestFinished } from 'vitest';
import { instantOf } from '../../src/zones/index.ts';
import { createDavWorld, fillDavMailbox } from '../distortion/caldav-mailbox.ts';
import { createWorld, type Json, PROVIDERS } from '../interface/world.ts';

/* A series moves to a zone more than half a day away, where its occurrences are hours apart from before, and on other dates. */

const DAY_MS = 86_400_000;
const instantText = (ms: number) => new Date(ms).toISOString();
const SPECIAL = 6;
const CANCELLED = 5;
/** The occurrence by which the series is changed. */
const CHANGED = 4;

/** Returns the path of a calendar's events, and a function that calls the interface. */
async function place(provider: string): Promise<{ call(method: string, rest: string, body?: Json): Promise<Json> }> {
  const isDav = provider === 'caldav';
  const world = isDav
    ? await createDavWorld({ clock: manualClock(Date.UTC(2026, 0, 1)) }, (_request, pass) => pass())
    : await createWorld();
  onTestFinished(() => world.close());
  const { accountId, calendarId } = isDav
    ? await fillDavMailbox(world, 0, [])
    : await world.connect(provider as (typeof PROVIDERS)[number]['provider']);
  return {
    async call(method, rest, body) {
      const path = `/v1/events/${accountId}/${calendarId}${rest}`;
      const answer = await world.call(method, path, body === undefined ? {} : { body });
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
      return answer.body;
    },
  };
}

/** From each zone the start of the fifth day, 10 April, in the other one. */
const MOVES = [
  ['the same instant', 'Pacific/Auckland', '2026-04-09T13:00:00', 'America/Los_Angeles'],
  ['some hours earlier, at the same time of day', 'Pacific/Auckland', '2026-04-09T08:00:00', 'America/Los_Angeles'],
  ['the same local time', 'Pacific/Auckland', '2026-04-10T08:00:00', 'America/Los_Angeles'],
  ['the same instant', 'America/Los_Angeles', '2026-04-11T03:00:00', 'Pacific/Auckland'],
  ['some hours later, at the same time of day', 'America/Los_Angeles', '2026-04-11T08:00:00', 'Pacific/Auckland'],
] as const;

describe.each([...PROVIDERS.map(({ provider }) => provider), 'caldav'])('%s', (provider) => {
  it.each(
    MOVES.flatMap((move) => (['following', 'all'] as const).map((scope) => [scope, ...move] as const)),
  )('an edit of %s to %s keeps exceptions of %s with their occurrences: %s %s', async (...given) => {
    const [scope, , from, dateTime, timeZone] = given;
    const { call } = await place(provider);
    const list = async (): Promise<readonly Json[]> => {
      const window = 'startDateTime=2026-04-01T00:00:00Z&endDateTime=2026-05-01T00:00:00Z';
      return (await call('GET', `?expandRecurrences=true&orderBy=startDateTime&${window}`)).data;
    };
    await call('POST', '', {
      title: 'Daily',
      start: { dateTime: '2026-04-06T08:00:00', timeZone: from },
      end: { dateTime: '2026-04-06T09:00:00', timeZone: from },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=9'],
    });
    const before = await list();
    await call('PUT', `/${before[SPECIAL].id}`, { title: 'Special' });
    await call('DELETE', `/${before[CANCELLED].id}`);
    const { id, recurringEventId } = before[CHANGED];
    const edited = await call('PUT', `/${id}?scope=${scope}`, {
      start: { dateTime, timeZone },
      end: { dateTime: dateTime.replace(':00:00', ':30:00'), timeZone },
    });
    const isAll = scope === 'all';
    const seriesId = isAll ? recurringEventId : edited.id;
    const after = (await list()).filter((event) => event.recurringEventId === seriesId);
    const begin = new Date(`${dateTime}Z`).getTime() - (isAll ? CHANGED * DAY_MS : 0);
    const days = Array.from({ length: isAll ? 9 : 9 - CHANGED }, (_, day) => day);
    const expected = days.flatMap((day) => {
      const index = isAll ? day : day + CHANGED;
      const title = index === SPECIAL ? 'Special' : 'Daily';
      return index === CANCELLED ? [] : [`${instantText(instantOf(timeZone, begin + day * DAY_MS))} ${title}`];
    });
    expect(after.map(({ title, start }) => `${instantText(Date.parse(start.dateTime))} ${title}`)).toEqual(expected);
  });
});
