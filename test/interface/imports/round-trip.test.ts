import fc from 'fast-check';
import { type IcsGroup, printEvents, readCalendars } from 'kalends/icalendar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groups } from '../../icalendar/event-contents.ts';
import { SHAPES, textOf } from '../../icalendar/shapes.ts';
import type { Connected } from '../steps.ts';
import type { Json } from '../world.ts';
import { differences, nameOf } from './differences.ts';
import { createImportWorld, exportOf, type ImportWorld, importedInto, TARGETS } from './import-world.ts';

let world: ImportWorld;
beforeAll(async () => {
  world = await createImportWorld();
}, 60_000);
afterAll(() => world.close());

const NONE = { waiting: 0, created: 0, updated: 0, unchanged: 0, refused: 0 };

/** Each shape is an event that knows its number, in one file. */
const FILE = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  ...SHAPES.map(({ lines }, index) => {
    const text = textOf({ lines: [...lines, `X-KALENDS-PRIVATE:shape=${index}`] }, `shape-${index}@example.com`);
    return text.slice(text.indexOf('BEGIN:VEVENT'), text.indexOf('END:VCALENDAR')).trimEnd();
  }),
  'END:VCALENDAR',
  '',
].join('\r\n');

const numberOf = ({ master }: IcsGroup) => Number(master?.content?.privateExtendedProperties['shape']);

function groupsOf(text: string, { email }: Connected): ReadonlyMap<number, IcsGroup> {
  const groups = readCalendars(text, { calendarZone: 'Europe/Berlin', self: [email] }).flatMap((each) => each.groups);
  return new Map(groups.map((group) => [numberOf(group), group]));
}

describe.each(TARGETS)('round trips through %s', (target) => {
  it('say before what they leave out, and leave out nothing else', async () => {
    const place = await world.connectTo(target);
    const before = await importedInto(world, place, FILE, { dryRun: true });
    const after = await importedInto(world, place, FILE);
    expect(after).toEqual({
      ...before,
      ...{ id: after.id, dryRun: false, createdAt: after.createdAt, finishedAt: after.finishedAt },
    });
    const [read, written] = [groupsOf(FILE, place), groupsOf(await exportOf(world, place), place)];
    const unnamed: string[] = [];
    for (const [index, { name }] of SHAPES.entries()) {
      const named = before.problems.filter(({ uid }: Json) => uid === `shape-${index}@example.com`);
      const now = written.get(index)?.master?.content;
      const was = read.get(index)?.master?.content;
      if (now == null) {
        if (named.length === 0) unnamed.push(`${name}: gone`);
        continue;
      }
      for (const field of differences(was, now)) {
        if (named.some(({ field: path }: Json) => nameOf(path) === field)) continue;
        unnamed.push(
          `${name}: ${field} ${JSON.stringify(was?.[field as keyof typeof was])} -> ${JSON.stringify(now[field as keyof typeof now])}`,
        );
      }
    }
    expect(unnamed).toEqual([]);
    expect(written.size).toBe(after.counts.created);
  }, 120_000);

  it('leave an export as it is, and make the same of it elsewhere', async () => {
    const place = await world.connectTo(target);
    await importedInto(world, place, FILE);
    const first = await exportOf(world, place);
    const again = await importedInto(world, place, first);
    expect(again).toMatchObject({ counts: { ...NONE, unchanged: groupsOf(first, place).size } });
    expect(await exportOf(world, place)).toBe(first);
  }, 120_000);

  it('say before what becomes of series with exceptions, whatever they are', async () => {
    const generated = fc.sample(groups, { seed: 19, numRuns: 60 }).map((group, index) => ({
      ...group,
      uid: `generated-${index}@example.com`,
    }));
    const text = printEvents(generated, { timeZone: 'Europe/Berlin' });
    const place = await world.connectTo(target);
    const before = await importedInto(world, place, text, { dryRun: true });
    const after = await importedInto(world, place, text);
    // Only Graph itself knows which moves it takes: docs/icalendar.md says so.
    const isForetold = ({ rule }: Json) => !/past the day of its neighbour/.test(rule);
    expect([after.counts, after.problems.filter(isForetold)]).toEqual([before.counts, before.problems]);
    if (target !== 'microsoft') expect(after.problems.every(isForetold)).toBe(true);
    const again = await importedInto(world, place, await exportOf(world, place));
    expect(again.counts).toEqual({ ...NONE, unchanged: after.counts.created });
  }, 120_000);
});
