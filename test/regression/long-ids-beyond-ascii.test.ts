import { expect, test } from 'vitest';
import { openComposedEngine } from '../accounts/composed-engine.ts';
import { fakeEvent, fakeException } from '../mirror/fake-events.ts';
import { newDatabase, STORAGES } from '../storages/new-database.ts';

/** An id that no database makes shorter. */
const idOf = (length: number, seed: number) =>
  String.fromCharCode(...Array.from({ length }, (_, index) => 0x4e00 + ((index * 7_919 + seed * 104_729) % 20_000)));

test.each(STORAGES)('an id too long for an index in UTF-8 costs no other event, %s', async (storage) => {
  const composed = await openComposedEngine({}, await newDatabase(storage));
  const accountId = await composed.connect();
  const [longest, ofSeries, ofException] = [1, 2, 3].map((seed) => idOf(366, seed)) as [string, string, string];
  const master = fakeEvent(ofSeries, { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] });
  const slot = { kind: 'instant', startMs: Date.UTC(2026, 2, 2, 14) } as const;
  composed.fake.events.set('primary', [
    { kind: 'event', event: fakeEvent('short') },
    { kind: 'event', event: fakeEvent(longest) },
    { kind: 'event', event: fakeEvent(idOf(1_000, 4)) },
    { kind: 'series', master, exceptions: [fakeException(ofException, ofSeries, slot)] },
  ]);
  const { data } = await composed.engine.services.events.list(composed.caller, accountId, 'primary', {});
  expect(data.map(({ title }) => title).sort()).toEqual(['short', longest, ofSeries, ofException].sort());
});
