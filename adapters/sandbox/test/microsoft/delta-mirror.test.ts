import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHarness, type Json, type Person, timed } from './harness.ts';

/**
 * A client that follows calendarView/delta while the calendar keeps changing, between rounds and between the pages of
 * one round. With the chance oddities off it must end up with exactly what calendarView shows.
 */
const WINDOW = 'startDateTime=2026-03-01T00:00:00Z&endDateTime=2026-04-01T00:00:00Z';

type Change =
  | { readonly kind: 'create'; readonly day: number }
  | { readonly kind: 'createSeries'; readonly day: number }
  | { readonly kind: 'rename' | 'delete'; readonly pick: number }
  | { readonly kind: 'move'; readonly pick: number; readonly day: number }
  | { readonly kind: 'renameSlot' | 'moveSlot' | 'deleteSlot'; readonly pick: number; readonly slot: number };

type Step = Change | { readonly kind: 'readPage'; readonly size: number };

const day = fc.integer({ min: 0, max: 45 });
const pick = fc.nat(100);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('create' as const), day }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('createSeries' as const), day }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('rename' as const, 'delete' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('move' as const), pick, day }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('renameSlot' as const, 'moveSlot' as const, 'deleteSlot' as const),
      pick,
      slot: fc.nat(6),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('readPage' as const), size: fc.integer({ min: 1, max: 7 }) }) },
);

const wallOf = (offset: number, hour = '09'): string =>
  `${new Date(Date.UTC(2026, 1, 25 + offset)).toISOString().slice(0, 10)}T${hour}:00:00`;

async function apply(person: Person, masters: string[], singles: string[], given: Change) {
  const at = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];
  if (given.kind === 'create') {
    singles.push((await person.create(timed('Single', wallOf(given.day)))).id);
  } else if (given.kind === 'createSeries') {
    const startDate = wallOf(given.day).slice(0, 10);
    const recurrence = {
      pattern: { type: 'daily', interval: 3 },
      range: { type: 'numbered', startDate, numberOfOccurrences: 6 },
    };
    masters.push((await person.create(timed('Series', wallOf(given.day), 'UTC', { recurrence }))).id);
  } else if ('slot' in given) {
    const master = at(masters, given.pick);
    if (master === undefined) return;
    const path = `/me/events/${master}/instances?startDateTime=2026-01-01&endDateTime=2027-01-01&$top=10&$select=originalStart`;
    const slot = at((await person.read(path)).value as Json[], given.slot);
    if (!slot) return;
    const date = Date.parse(`${slot.originalStart}`);
    const next = new Date(date + 86_400_000).toISOString().slice(0, 10);
    if (given.kind === 'renameSlot') await person.call('PATCH', `/me/events/${slot.id}`, { subject: 'Exception' });
    if (given.kind === 'moveSlot')
      await person.call('PATCH', `/me/events/${slot.id}`, timed('Shifted', `${next}T15:00:00`));
    if (given.kind === 'deleteSlot') await person.call('DELETE', `/me/events/${slot.id}`);
  } else {
    const fromSeries = given.kind !== 'move' && given.pick % 3 === 0;
    const list = fromSeries ? masters : singles;
    const id = at(list, given.pick);
    if (id === undefined) return;
    if (given.kind === 'rename') await person.call('PATCH', `/me/events/${id}`, { subject: `Renamed ${given.pick}` });
    if (given.kind === 'move') await person.call('PATCH', `/me/events/${id}`, timed('Moved', wallOf(given.day)));
    if (given.kind === 'delete') {
      await person.call('DELETE', `/me/events/${id}`);
      list.splice(list.indexOf(id), 1);
    }
  }
}

/** A client's knowledge of an entity: stubs tell the time only. */
const known = ({ id, start, type, subject }: Json): string =>
  JSON.stringify([id, start, type, type === 'occurrence' ? null : subject]);

test('a client that applies every page ends up with what calendarView shows', async () => {
  const harness = createHarness();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const email = `p${harness.kernel.randomText(8)}@contoso.test`;
      harness.server.addMailbox({ email, name: 'P', timeZone: 'UTC' });
      const person = await harness.person(email);
      const masters: string[] = [];
      const singles: string[] = [];
      const mirror = new Map<string, Json>();
      let link = `/me/calendarView/delta?${WINDOW}`;
      const readPage = async (size: number): Promise<boolean> => {
        const page = await person.read(link, { prefer: `odata.maxpagesize=${size}` });
        for (const item of page.value) {
          if (item['@removed']) mirror.delete(item.id);
          else if (item.type !== 'seriesMaster') mirror.set(item.id, item);
        }
        link = page['@odata.nextLink'] ?? page['@odata.deltaLink'];
        return page['@odata.nextLink'] !== undefined;
      };
      for (const each of steps) {
        if (each.kind === 'readPage') await readPage(each.size);
        else await apply(person, masters, singles, each);
      }
      while (await readPage(50));
      const shown = (await person.all(`/me/calendarView?${WINDOW}&$top=500`)).items;
      expect([...mirror.values()].map(known).sort()).toEqual(shown.map(known).sort());
    }),
    { numRuns: 100 },
  );
});
