import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../world.ts';
import { createImportWorld, type ImportWorld, importedInto } from './import-world.ts';

let world: ImportWorld;
beforeAll(async () => {
  world = await createImportWorld();
});
afterAll(() => world.close());

const alarm = (...lines: readonly string[]) => ['BEGIN:VALARM', ...lines, 'END:VALARM'];
const REMINDER = alarm('ACTION:DISPLAY', 'TRIGGER:-PT15M', 'DESCRIPTION:Soon');

/** The fields that an import of an event names. */
async function namedFor(...lines: readonly string[]): Promise<readonly string[]> {
  const place = await world.connectTo('caldav');
  const event = ['UID:a', 'DTSTAMP:20260101T000000Z', 'SUMMARY:a', 'DTSTART:20260302T090000Z', 'DURATION:PT1H'];
  const file = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...event, ...lines, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
  const { counts, problems } = await importedInto(world, place, file);
  expect(counts.created).toBe(1);
  return problems.map(({ field }: Json) => field);
}

it('an import names the properties and components that it leaves out', async () => {
  expect(await namedFor('URL:https://example.com/ticket', 'PRIORITY:1', 'related-to;RELTYPE=CHILD:b')).toEqual(
    expect.arrayContaining(['URL', 'PRIORITY', 'RELATED-TO']),
  );
  expect(await namedFor('BEGIN:PARTICIPANT', 'UID:p', 'END:PARTICIPANT')).toEqual(['PARTICIPANT']);
});

it('and names no bookkeeping, no properties of programs, and nothing that is read', async () => {
  const bookkeeping = ['SEQUENCE:3', 'CREATED:20260101T000000Z', 'LAST-MODIFIED:20260101T000000Z', 'PRIORITY:5'];
  const read = ['LOCATION:Room', 'CATEGORIES:Work', 'CLASS:PRIVATE', 'TRANSP:OPAQUE', 'STATUS:CONFIRMED'];
  const folded = `DESCRIPTION:${'URL: '.repeat(40)}`.replaceAll(/(.{70})/g, '$1\r\n ');
  expect(await namedFor(...bookkeeping, ...read, 'X-MOZ-GENERATION:1', folded, ...REMINDER)).toEqual([]);
});

it('and names alarms that are no reminder, however many there are', async () => {
  const after = alarm('ACTION:DISPLAY', 'TRIGGER:PT5M', 'DESCRIPTION:Late');
  expect(await namedFor(...REMINDER, ...after, ...after)).toEqual(['VALARM']);
  expect(await namedFor(...alarm('ACTION:PROCEDURE', 'TRIGGER:-PT5M'))).toEqual(['VALARM']);
  const sound = alarm('ACTION:AUDIO', 'TRIGGER:-PT15M');
  const none = alarm('ACTION:NONE', 'TRIGGER;VALUE=DATE-TIME:19760401T005545Z');
  expect(await namedFor(...REMINDER, ...sound, ...none)).toEqual([]);
});
