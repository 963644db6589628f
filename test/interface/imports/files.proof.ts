import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { icsFeed } from '@kalends/ics-feed';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import { decodeText, type IcsEvent, type IcsGroup, readCalendars } from 'kalends/icalendar';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { occurrencesOf } from '../../icalendar/occurrences-of.ts';
import { body, type Connected, calendarsPath, eventsPath, readAll } from '../steps.ts';
import type { Json } from '../world.ts';
import { differences, nameOf } from './differences.ts';
import { createImportWorld, exportOf, type ImportWorld, importedInto, TARGETS, type Target } from './import-world.ts';

/** Files that other programs have written: `npm run prove -- files --folder=PATH`. */
const folder = inject('folder') ?? '';
const FILES = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.ics')) : [];

const DAY_MS = 86_400_000;
const NONE = { waiting: 0, created: 0, updated: 0, unchanged: 0, refused: 0 };
const FORETOLD_BY_NONE = /past the day of its neighbour/;

let world: ImportWorld;
beforeAll(async () => {
  world = await createImportWorld();
}, 60_000);
afterAll(() => world.close());

const bytesOf = (name: string) => new Uint8Array(readFileSync(join(folder, name)));

/** The groups of all calendars of a file; an import reads floating times in the calendar's zone where the file has none. */
function groupsOf(text: string, { email }: Pick<Connected, 'email'>): readonly IcsGroup[] {
  const hasZone = /^X-WR-TIMEZONE|^BEGIN:VTIMEZONE/im.test(text);
  const options = { self: [email], ...(hasZone ? {} : { calendarZone: 'Europe/Berlin' }) };
  return readCalendars(text, options).flatMap(({ groups }) => groups);
}

/** A calendar's events in one order, without what a provider gives each event anew: ids, and times of writes. */
function shownBy(text: string): readonly string[] {
  return groupsOf(text, { email: '' })
    .map(({ master, exceptions }) => JSON.stringify([master, ...exceptions].map(shown)))
    .sort();
}

function shown(event: IcsEvent | undefined) {
  const { uid: _uid, content, ...rest } = event ?? {};
  const { createdAt: _created, updatedAt: _updated, iCalUid: _id, ...fields } = content ?? {};
  return { ...rest, fields };
}

/** Events by what finds them again: Graph gives each a UID of its own. */
function eventsOf(groups: readonly IcsGroup[], target: Target): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>();
  for (const { uid, master, exceptions } of groups) {
    const { title, start, description } = master?.content ?? {};
    const key = target === 'microsoft' ? [title, start, description] : uid;
    for (const event of [master, ...exceptions]) {
      if (event?.content != null)
        found.set(JSON.stringify([key, event.recurrenceId]), { uid, ...withSortedRules(event.content) });
    }
  }
  return found;
}

/** The parts of a rule may stand in any order (RFC 5545 §3.3.10). */
function withSortedRules({ recurrence, ...content }: NonNullable<IcsEvent['content']>): Json {
  const sorted = (line: string) => (line.startsWith('RRULE:') ? line.slice(6).split(';').sort().join(';') : line);
  return { ...content, recurrence: recurrence?.map(sorted) ?? null };
}

/** Fields of the file that the calendar does not have as they were, and that the report of the import does not name. */
function unnamedLosses(read: ReadonlyMap<string, Json>, written: ReadonlyMap<string, Json>, problems: readonly Json[]) {
  return [...read].flatMap(([key, { uid, ...was }]) => {
    const named = problems.filter((problem) => problem.uid === uid).map(({ field }) => nameOf(field));
    const { uid: _, ...now } = written.get(key) ?? {};
    if (!written.has(key)) return named.length > 0 ? [] : [`${key} is gone`];
    const lost = differences(was, now).filter((field) => !named.includes(field));
    return lost.map((field) => `${key} ${field}: ${JSON.stringify(was[field])} -> ${JSON.stringify(now[field])}`);
  });
}

it('has files to read', () => {
  expect(FILES, `of the folder ${folder}`).not.toEqual([]);
});

describe.each(FILES)('%s', (name) => {
  it.each(
    TARGETS,
  )('goes into %s as its report says, and comes out the same, there and in another calendar', async (target) => {
    const place = await world.connectTo(target);
    const file = decodeText(bytesOf(name));
    const before = await importedInto(world, place, file, { dryRun: true });
    const after = await importedInto(world, place, file);
    const foretold = after.problems.filter(({ rule }: Json) => !FORETOLD_BY_NONE.test(rule));
    expect([after.state, after.counts, foretold]).toEqual(['finished', before.counts, before.problems]);

    const exported = await exportOf(world, place);
    const groups = groupsOf(exported, place);
    expect(groups).toHaveLength(after.counts.created);
    const [read, written] = [groupsOf(file, place), groups].map((each) => eventsOf(each, target));
    expect(unnamedLosses(read ?? new Map(), written ?? new Map(), after.problems)).toEqual([]);
    expect(await importedInto(world, place, exported)).toMatchObject({ counts: { ...NONE, unchanged: groups.length } });

    const further = { name: 'Further', timeZone: 'Europe/Berlin' };
    const { id: calendarId } = body(await world.call('POST', calendarsPath(place.accountId), { body: further }), 201);
    const copy = { ...place, calendarId };
    expect(await importedInto(world, copy, exported)).toMatchObject({ counts: { ...NONE, created: groups.length } });
    expect(shownBy(await exportOf(world, copy))).toEqual(shownBy(exported));

    for (let year = 2006; year < 2036; year += 4) {
      const span = { from: Date.UTC(year), to: Date.UTC(year + 4) };
      const { data } = await readAll(world, eventsPath(place), {
        expandRecurrences: true,
        startDateTime: new Date(span.from).toISOString(),
        endDateTime: new Date(span.to + 90 * DAY_MS).toISOString(),
      });
      const starts = data.map(({ start, title }) => ({ at: Date.parse(start.dateTime), title }));
      const listed = starts.filter(({ at }) => at < span.to).map(({ at, title }) => `${at} ${title}`);
      expect(occurrencesOf(exported, span).sort()).toEqual(listed.sort());
    }
  });

  it('is read as a feed', async () => {
    const engine = createEngine({
      storage: sqlite({ path: ':memory:' }),
      providers: { ICS: icsFeed({ fetch: async () => new Response(bytesOf(name)) }) },
      secret: Buffer.alloc(32, 7).toString('base64'),
    });
    await engine.start({ background: false });
    onTestFinished(() => engine.stop());
    const caller = { applicationId: (await engine.applications.create({ name: 'Proof', redirectUrls: [] })).id };
    const credentials = { kind: 'url', url: 'https://feeds.example/file.ics' } as const;
    const { account } = await engine.accounts.upsert(caller, { providerType: 'ICS', credentials });
    const { data } = await engine.events.list(caller, account.id, 'feed', { limit: 1000 });
    const events = readCalendars(decodeText(bytesOf(name))).flatMap(({ groups }) =>
      groups.flatMap(({ master, exceptions }) => [master, ...exceptions]),
    );
    const titles = (contents: readonly Json[]) =>
      contents.map(({ start, title }) => `${start.dateTime} ${title}`).sort();
    expect(titles(data.filter(({ isCancelled }) => !isCancelled))).toEqual(
      titles(events.flatMap((event) => event?.content ?? [])),
    );
  });
});
