import { afterAll, beforeAll, expect, it } from 'vitest';
import { body, type Connected } from '../steps.ts';
import { createImportWorld, type ImportWorld, importedInto } from './import-world.ts';

let world: ImportWorld;
beforeAll(async () => {
  world = await createImportWorld();
});
afterAll(() => world.close());

const component = (lines: readonly string[]) => ['BEGIN:VEVENT', 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT'];
const calendar = (...events: readonly (readonly string[])[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...events.flatMap(component), 'END:VCALENDAR', ''].join('\r\n');

const ZONE = 'TZID=Europe/London';
const SERIES = [
  'UID:meet@x',
  'SUMMARY:Meeting',
  `DTSTART;${ZONE}:20260303T123000`,
  `DTEND;${ZONE}:20260303T131500`,
  'RRULE:FREQ=DAILY;COUNT=4',
];
const slot = (day: string) => ['UID:meet@x', `RECURRENCE-ID;${ZONE}:202603${day}T123000`];
const cancelled = (day: string) => [...slot(day), 'STATUS:CANCELLED', `DTSTART;${ZONE}:202603${day}T123000`];
const moved = (day: string) => [
  ...slot(day),
  'SUMMARY:Moved',
  `DTSTART;${ZONE}:202603${day}T160000`,
  `DTEND;${ZONE}:202603${day}T170000`,
];

async function timesIn(people: readonly Connected[], detail: string): Promise<readonly string[]> {
  const calendars = people.map(({ accountId, calendarId }) => ({ endUserAccountId: accountId, calendarId }));
  const { url } = body(await world.call('POST', '/v1/feeds', { body: { name: 'Team', detail, calendars } }), 201);
  const { body: text } = await world.call('GET', url.replace(/^.*\/api/, ''), { key: null });
  const shown = /^(?:DTSTART;TZID.*|RRULE.*|EXDATE.*|RECURRENCE-ID.*)$/;
  return (text as string)
    .slice(text.indexOf('BEGIN:VEVENT'))
    .split('\r\n')
    .filter((line) => shown.test(line));
}

// Microsoft gives imported events UIDs of its own.
it.each([
  'google',
  'caldav',
] as const)('shows what another person of a feed still has of a series at %s, each occurrence once', async (target) => {
  const ada = await world.connectTo('google');
  const ben = await world.connectTo(target);
  const cleo = await world.connectTo(target);
  await importedInto(world, ada, calendar(SERIES, cancelled('04'), cancelled('05'), cancelled('06')));
  await importedInto(world, ben, calendar(SERIES, moved('05'), cancelled('06')));
  await importedInto(world, cleo, calendar(SERIES, cancelled('06')));
  for (const detail of ['busy', 'full']) {
    const alone = await timesIn([ada], detail);
    expect(await timesIn([ada, ben, cleo], detail)).toEqual([
      ...alone,
      `DTSTART;${ZONE}:20260304T123000`,
      `DTSTART;${ZONE}:20260305T160000`,
    ]);
  }
});
