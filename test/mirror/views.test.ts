import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { EventListQuery } from 'kalends/model';
import type { ItemWrite } from 'kalends/ports';
import { expect, onTestFinished, test } from 'vitest';
import { listKeyOf } from '../../src/mirror/index.ts';
import { VIEWS } from '../../src/mirror/view-token.ts';
import { fakeCalendar } from './fake-provider.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, syncWorld } from './sync-world.ts';

/**
 * Answers from the same stored rows, hashed beside the views. Another hash means that a copy listed by an earlier version lacks the
 * difference: raise the view in `src/mirror/view-token.ts` once for each release, and write the new hash here.
 * The rows are as an earlier version stored them: they may be added to, and the others stay.
 */
const HASHES = {
  events: { view: 2, hash: 'zDX7Nrpxc1rubxH8VBJfi-OHrZJ5i912KVBsmFJpdiw' },
  calendars: { view: 1, hash: 'WXqbaf_cNduIa-t9CZe6aEWGGBmhOY4wMmWP9K0AYIA' },
};
const ROWS = new URL('view-rows.jsonl', import.meta.url);

const SPRING = { startDateTime: '2030-03-01T00:00:00Z', endDateTime: '2030-04-15T00:00:00Z' };
const GAP = { startDateTime: '2030-03-10T06:30:00Z', endDateTime: '2030-03-10T07:30:00Z' };
const AUTUMN = { startDateTime: '2030-11-03T05:00:00Z', endDateTime: '2030-11-03T08:00:00Z' };
const EXPANDED = { expandRecurrences: 'true' } as const;
const QUERIES: readonly EventListQuery[] = [
  {},
  SPRING,
  AUTUMN,
  { isCancelled: 'true' },
  { isCancelled: 'false' },
  { isAllDay: 'true' },
  { eventTypes: 'outOfOffice' },
  { updatedAfter: '2026-01-15T00:00:00Z' },
  { search: 'strasse' },
  { search: 'σίσυφος i' },
  { metadataFilters: '{"team":"a"}' },
  { timeZone: 'Asia/Kolkata' },
  ...[SPRING, GAP, AUTUMN].flatMap((window): readonly EventListQuery[] => [
    { ...EXPANDED, ...window },
    { ...EXPANDED, ...window, orderBy: 'startDateTime', timeZone: 'America/New_York' },
    { ...EXPANDED, ...window, orderBy: 'updatedDateTime', isCancelled: 'true' },
  ]),
  { ...EXPANDED, ...SPRING, search: 'MOVED', isAllDay: 'false' },
];

const hashOf = (answers: unknown) => createHash('sha256').update(JSON.stringify(answers)).digest('base64url');

test('answers from the same rows are the same as long as the view is', async () => {
  const world = await syncWorld();
  onTestFinished(() => world.close());
  world.fake.putCalendar(fakeCalendar('read only', { readOnly: true, hexColor: '#aabbcc', timeZone: 'Asia/Tokyo' }));
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  const { mirror } = world.storage;
  const rows: readonly ItemWrite[] = readFileSync(ROWS, 'utf8')
    .trim()
    .split('\n')
    .map((line) => ({ providerTag: null, mappingVersion: 1, ...JSON.parse(line) }));
  await mirror.commit(KEY, { writes: rows, basedOn: 0, at: world.clock.now(), tag: 'tag' });
  const lists = [];
  for (const query of QUERIES) {
    const { data } = await world.events.list(CALLER, ACCOUNT, CALENDAR, { ...query, limit: 1_000 });
    lists.push(data);
  }
  expect(lists.filter((data) => data.length === 0)).toEqual([]);
  const { data } = await world.calendars.list(CALLER, ACCOUNT, {});
  expect(await mirror.find(listKeyOf(KEY))).toMatchObject({ revision: 1 });
  expect({
    events: { view: VIEWS.events, hash: hashOf(lists) },
    calendars: { view: VIEWS.calendars, hash: hashOf(data) },
  }).toEqual(HASHES);
});
