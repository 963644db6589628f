import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sizeOf } from '../size-of.ts';
import { type Content, type Copy, copyContent, type Fields, readCalendar } from './copy-event.ts';
import { type CopyWorld, createCopyWorld, type Place, type ProviderName } from './copy-world.ts';
import { inFull } from './expected-content.ts';
import { unholdable } from './holdable.ts';
import { type Wish, wish } from './wishes.ts';

const RUNS = sizeOf('copies', { short: 2, long: 20 });
const EVENTS = 8;

let world: CopyWorld;
beforeAll(async () => {
  world = await createCopyWorld();
});
afterAll(() => world.close());

/** Each copy goes around, so that what one provider holds passes through the two others and comes back. */
const RINGS: readonly (readonly ProviderName[])[] = [
  ['google', 'caldav', 'microsoft', 'google'],
  ['caldav', 'microsoft', 'google', 'caldav'],
  ['microsoft', 'google', 'caldav', 'microsoft'],
];

it.each(RINGS)('a calendar copied %s → %s → %s → %s keeps every field, or names what it refused', async (...ring) => {
  await fc.assert(
    fc.asyncProperty(fc.array(wish, { minLength: 1, maxLength: EVENTS }), async (wishes) => {
      let contents: readonly Content[] = wishes.map(({ content }) => content);
      for (const name of ring) {
        const place = await world.makePlace(name);
        contents = await copyAll(wishes, contents, place);
      }
    }),
    { numRuns: RUNS, seed: 19, endOnFailure: true },
  );
}, 600_000);

/** Copies the contents and holds the copies to them; resolves with the copies as the calendar shows them. */
async function copyAll(
  wishes: readonly Wish[],
  contents: readonly Content[],
  place: Place,
): Promise<readonly Content[]> {
  const blank = await blankOf(place);
  const copies: Copy[] = [];
  for (const [index, content] of contents.entries()) {
    const copy = await copyContent(world, content, place);
    checkRefusals(copy, wishes[index] as Wish, place);
    copies.push(copy);
  }
  const shown = await readCalendar(world, place);
  expect([...shown.keys()].sort()).toEqual(copies.map(({ id }) => id).sort());
  return copies.map(({ id, asked }) => {
    const copied = shown.get(id) as Content;
    checkShown(copied, asked, blank, place);
    return copied;
  });
}

/** A refusal names a field that the calendar cannot hold, with its rule; without any, the request is done. */
function checkRefusals({ attempts }: Copy, wanted: Wish, { name, capabilities }: Place): void {
  for (const attempt of attempts) {
    const fields = [...unholdable(attempt, wanted, capabilities)];
    const where = `${name} ${JSON.stringify(attempt)}`;
    if (attempt.refusal === null) expect(fields, where).toEqual([]);
    else expect(fields, where).toContain(attempt.refusal.path.split('.')[0]);
    if (attempt.refusal !== null) expect(attempt.refusal.message).toMatch(/\w \w/);
  }
}

function checkShown(copied: Content, asked: Content, blank: Fields, { name }: Place): void {
  const wanted = inFull(asked, blank);
  const shown = inFull(copied, blank);
  for (const [slot, fields] of wanted) {
    const present = shown.get(slot);
    // An exception of which nothing is left is none.
    if (present === undefined && isEmptied(asked, slot)) continue;
    const where = `${name} ${slot} ${JSON.stringify(asked)}`;
    if (fields === null || present == null) {
      expect(present, where).toBe(fields);
      continue;
    }
    const { start, end, ...rest } = present;
    if (!('start' in fields)) expect(startOf(copied, slot), where).toBe(slot);
    expect('start' in fields ? present : rest, where).toEqual(fields);
  }
  expect([...wanted.keys()]).toEqual(expect.arrayContaining([...shown.keys()]));
}

const isEmptied = ({ exceptions }: Content, slot: string) =>
  exceptions.some((exception) => exception.slot === slot && Object.keys(exception.own ?? { kept: true }).length === 0);

/** The start that an exception shows, as ids of occurrences have it. */
function startOf({ fields, exceptions }: Content, slot: string): string {
  const own = exceptions.find((exception) => exception.slot === slot)?.own;
  const { dateTime } = (own?.['start'] ?? fields['start']) as { readonly dateTime: string };
  if (fields['isAllDay'] === true) return dateTime.slice(0, 10).replaceAll('-', '');
  return `${new Date(dateTime).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** Returns the fields of an event at a place that was asked for nothing. */
async function blankOf({ accountId, calendarId, ...place }: Place): Promise<Fields> {
  const start = { dateTime: '2026-03-02T09:00:00Z', timeZone: 'UTC' };
  const { engine, caller } = world;
  const { id } = await engine.events.create(caller, accountId, calendarId, { title: '', start });
  const blank = (await readCalendar(world, { ...place, accountId, calendarId })).get(id)?.fields ?? {};
  await engine.events.delete(caller, accountId, calendarId, id);
  return blank;
}
