import { manualClock } from '@kalends/conformance';
import { expect, it, onTestFinished } from 'vitest';
import { createDavWorld, fillDavMailbox } from '../distortion/caldav-mailbox.ts';
import { body } from '../interface/steps.ts';
import type { Json } from '../interface/world.ts';

const at = (dateTime: string, timeZone = 'Europe/Berlin') => ({ dateTime: `2026-03-${dateTime}`, timeZone });

/** A daily series of five with a guest, whose third and fifth occurrence are cancelled. */
async function cancelledSeries() {
  const wire = { puts: 0, refusesFrom: Number.POSITIVE_INFINITY };
  const world = await createDavWorld({ clock: manualClock(Date.UTC(2026, 0, 1)) }, (request, pass) => {
    if (request.method !== 'PUT') return pass();
    wire.puts += 1;
    return wire.puts >= wire.refusesFrom ? Promise.resolve(new Response('', { status: 403 })) : pass();
  });
  onTestFinished(() => world.close());
  const { accountId, calendarId } = await fillDavMailbox(world, 0, []);
  const path = `/v1/events/${accountId}/${calendarId}`;
  const sent = {
    ...{ title: 's', attendees: [{ email: 'guest@example.com' }], recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] },
    ...{ start: at('02T09:00:00'), end: at('02T10:00:00') },
  };
  const { id } = body(await world.call('POST', path, { body: sent }), 201);
  for (const day of ['04', '06']) await world.call('DELETE', `${path}/${id}_202603${day}T080000Z`);
  return {
    id,
    /** Sends a change, of whose requests the server refuses all but so many. Returns its answer, and the number of PUTs. */
    async change(of: string, sent: object, accepted: number) {
      wire.puts = 0;
      wire.refusesFrom = accepted + 1;
      const answer = await world.call('PUT', `${path}/${of}`, { body: sent });
      wire.refusesFrom = Number.POSITIVE_INFINITY;
      return { status: answer.status, puts: wire.puts };
    },
    async shown(): Promise<readonly string[]> {
      const window = 'startDateTime=2026-01-01T00:00:00Z&endDateTime=2027-01-01T00:00:00Z';
      const { data } = body(await world.call('GET', `${path}?expandRecurrences=true&isCancelled=true&${window}`));
      const shown = data.map(
        ({ start, isCancelled }: Json) => `${start.dateTime.slice(8, 16)}${isCancelled ? ' -' : ''}`,
      );
      return shown.toSorted();
    },
  };
}

it('a moved series keeps its cancelled occurrences in the one request that moves it', async () => {
  const { id, change, shown } = await cancelledSeries();
  const moved = { start: at('02T11:00:00'), end: at('02T12:00:00') };
  expect(await change(id, moved, 1)).toEqual({ status: 200, puts: 1 });
  expect(await shown()).toEqual(['02T11:00', '03T11:00', '04T11:00 -', '05T11:00', '06T11:00 -']);
});

it('a series that goes to another zone does so too', async () => {
  const { id, change, shown } = await cancelledSeries();
  const zone = 'America/New_York';
  const moved = { start: at('02T09:00:00', zone), end: at('02T10:00:00', zone) };
  expect(await change(id, moved, 1)).toEqual({ status: 200, puts: 1 });
  expect(await shown()).toEqual(['02T09:00', '03T09:00', '04T09:00 -', '05T09:00', '06T09:00 -']);
});

it('the second half of a split series is created with its cancelled occurrences', async () => {
  const { id, change, shown } = await cancelledSeries();
  const moved = { start: at('03T11:00:00'), end: at('03T12:00:00') };
  expect(await change(`${id}_20260303T080000Z?scope=following`, moved, 2)).toEqual({ status: 200, puts: 2 });
  expect(await shown()).toEqual(['02T09:00', '03T11:00', '04T11:00 -', '05T11:00', '06T11:00 -']);
});

it('a second half that begins with a cancelled occurrence is created with it', async () => {
  const { id, change, shown } = await cancelledSeries();
  const moved = { start: at('04T11:00:00'), end: at('04T12:00:00') };
  expect(await change(`${id}_20260304T080000Z?scope=following`, moved, 2)).toEqual({ status: 200, puts: 2 });
  expect(await shown()).toEqual(['02T09:00', '03T09:00', '04T11:00 -', '05T11:00', '06T11:00 -']);
});

it('one that brings its first occurrence back is created with that', async () => {
  const { id, change, shown } = await cancelledSeries();
  const moved = { start: at('04T11:00:00'), end: at('04T12:00:00'), isCancelled: false };
  expect(await change(`${id}_20260304T080000Z?scope=following`, moved, 2)).toEqual({ status: 200, puts: 2 });
  expect(await shown()).toEqual(['02T09:00', '03T09:00', '04T11:00', '05T11:00', '06T11:00 -']);
});

it('a refused split leaves the series with its cancelled occurrences', async () => {
  const { id, change, shown } = await cancelledSeries();
  const moved = { start: at('04T11:00:00'), end: at('04T12:00:00'), isCancelled: false };
  expect(await change(`${id}_20260304T080000Z?scope=following`, moved, 1)).toEqual({ status: 403, puts: 2 });
  expect(await shown()).toEqual(['02T09:00', '03T09:00', '04T09:00 -', '05T09:00', '06T09:00 -']);
});
