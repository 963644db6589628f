import { caldav } from '@kalends/caldav';
import { sqlite } from '@kalends/sqlite';
import { createEngine, type Engine } from 'kalends';
import type { CalendarEvent } from 'kalends/model';
import { describe, expect, inject, it } from 'vitest';
import { type Dice, dice } from '../simulation/dice.ts';
import { expandElsewhere } from './raw/expand.ts';
import { makeCalendar, type RawCalendar } from './raw/raw-calendar.ts';
import { foreignObject, withAnotherTitle } from './raw/raw-objects.ts';
import type { CalendarServer } from './start/calendar-server.ts';

/**
 * People edit with other programs, by bare requests, and we edit through the engine. After each edit the engine shows what a second
 * library makes of the server's own objects.
 */

/** One for all: each has connections of its own, and Cyrus has ten processes for connections. */
const CALDAV = caldav({
  allowedNetworks: ['127.0.0.0/8'],
  limits: { callsPerInterval: Number.POSITIVE_INFINITY, concurrency: 3 },
});
const EDITS = 25;
const SEEDS = [1, 2];
const WINDOW = { startDateTime: '2026-01-01T00:00:00Z', endDateTime: '2027-01-01T00:00:00Z' };
const BERLIN = 'Europe/Berlin';

interface Storm {
  readonly server: CalendarServer;
  readonly engine: Engine;
  readonly caller: { readonly applicationId: string };
  readonly accountId: string;
  readonly calendarId: string;
  readonly raw: RawCalendar;
  readonly draws: Dice;
}

async function openStorm(server: CalendarServer, seed: number): Promise<Storm & { close(): Promise<void> }> {
  const raw = await makeCalendar(server, server.alice, `storm-${seed}`);
  const engine = createEngine({
    storage: sqlite({ path: ':memory:' }),
    providers: { CALDAV },
    secret: Buffer.alloc(32, 3).toString('base64'),
    publicUrl: 'http://kalends.test',
    // Each read asks the server, and no poll comes between.
    sync: { freshWithoutPushMs: 1, readWaitMs: 60_000, pollWithoutPushMs: 86_400_000 },
  });
  await engine.start();
  const { id } = await engine.applications.create({ name: 'Storm', redirectUrls: ['https://app.example/'] });
  const caller = { applicationId: id };
  const { username, password } = server.alice;
  const credentials = { kind: 'password', serverUrl: server.url, username, password } as const;
  const { account } = await engine.accounts.upsert(caller, {
    providerType: 'CALDAV',
    email: server.alice.email,
    credentials,
  });
  const path = Buffer.from(decodeURIComponent(new URL(raw.url).pathname)).toString('base64url');
  const calendars = await engine.calendars.list(caller, account.id);
  const calendarId = calendars.data.find((calendar) => calendar.id === path)?.id ?? '';
  expect(calendarId).not.toBe('');
  const close = () => engine.stop();
  return { server, engine, caller, accountId: account.id, calendarId, raw, draws: dice(seed), close };
}

async function shownBy({ engine, caller, accountId, calendarId }: Storm): Promise<readonly CalendarEvent[]> {
  const events: CalendarEvent[] = [];
  let pageToken: string | undefined;
  do {
    const query = { ...WINDOW, expandRecurrences: true, limit: 250, ...(pageToken === undefined ? {} : { pageToken }) };
    const page = await engine.events.list(caller, accountId, calendarId, query);
    events.push(...page.data);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return events;
}

const instantOf = (dateTime: string) => `${new Date(dateTime).toISOString().slice(0, 19)}Z`;

async function expectEqual(storm: Storm, what: string): Promise<void> {
  const own = (await shownBy(storm)).map(({ title, isAllDay, start, end }) => {
    const when = (dateTime: string) => (isAllDay ? dateTime.slice(0, 10) : instantOf(dateTime));
    return `${when(start.dateTime)} ${when(end.dateTime)} ${title}`;
  });
  const objects = await storm.raw.objects();
  const theirs = await expandElsewhere({
    texts: objects.map(({ text }) => text),
    from: '20260101T000000Z',
    to: '20270101T000000Z',
    timeZone: 'UTC',
  });
  expect(own.sort(), what).toEqual(theirs.map(({ title, start, end }) => `${start} ${end} ${title}`).sort());
}

const title = (draws: Dice) =>
  `${draws.pick(['Plan', 'Lunch', 'Walk, long', 'Ünïcode; "quoted"'])} ${draws.below(1000)}`;

const at = (draws: Dice) => {
  const day = `2026-${draws.pick(['03', '06', '10'])}-${String(draws.between(1, 28)).padStart(2, '0')}`;
  return { day, time: `${day}T${String(draws.between(6, 20)).padStart(2, '0')}:00:00` };
};

const plusHour = (time: string) =>
  `${time.slice(0, 11)}${String(Number(time.slice(11, 13)) + 1).padStart(2, '0')}:30:00`;

const RULES = ['FREQ=DAILY;COUNT=5', 'FREQ=WEEKLY;COUNT=6', 'FREQ=WEEKLY;INTERVAL=2;COUNT=4', 'FREQ=MONTHLY;COUNT=3'];

/** Edits through the engine. Each returns what it did, or undefined where there was nothing to do it to. */
const OWN_EDITS: Readonly<Record<string, (storm: Storm) => Promise<string | undefined>>> = {
  async create({ engine, caller, accountId, calendarId, draws }) {
    const { day, time } = at(draws);
    const isAllDay = draws.chance(0.3);
    const body = {
      title: title(draws),
      isAllDay,
      start: { dateTime: isAllDay ? `${day}T00:00:00` : time, timeZone: BERLIN },
      ...(isAllDay ? {} : { end: { dateTime: plusHour(time), timeZone: BERLIN } }),
      ...(draws.chance(0.7) ? { recurrence: [`RRULE:${draws.pick(RULES)}`] } : {}),
    };
    await engine.events.create(caller, accountId, calendarId, body);
    return `create ${JSON.stringify(body)}`;
  },
  async rename(storm) {
    const target = await pickEvent(storm);
    if (target === undefined) return undefined;
    const scope = scopeOf(storm, target);
    return await edit(storm, target, { title: title(storm.draws) }, scope);
  },
  async move(storm) {
    const target = await pickEvent(storm);
    if (target === undefined || target.isAllDay) return undefined;
    const scope = scopeOf(storm, target);
    const time = `${target.start.dateTime.slice(0, 11)}${String(storm.draws.between(6, 20)).padStart(2, '0')}:15:00`;
    const { timeZone } = target.start;
    const body = { start: { dateTime: time, timeZone }, end: { dateTime: plusHour(time), timeZone } };
    return await edit(storm, target, body, scope);
  },
  async delete(storm) {
    const target = await pickEvent(storm);
    if (target === undefined) return undefined;
    const { engine, caller, accountId, calendarId } = storm;
    const scope = scopeOf(storm, target);
    await engine.events.delete(caller, accountId, calendarId, target.id, scope === undefined ? {} : { scope });
    return `delete ${scope} ${target.title} ${target.start.dateTime}`;
  },
};

async function edit(
  { engine, caller, accountId, calendarId }: Storm,
  target: CalendarEvent,
  body: object,
  scope: 'this' | 'following' | 'all' | undefined,
) {
  await engine.events.update(caller, accountId, calendarId, target.id, body, scope === undefined ? {} : { scope });
  return `${scope} ${target.title} ${target.start.dateTime} ${JSON.stringify(body)}`;
}

async function pickEvent(storm: Storm): Promise<CalendarEvent | undefined> {
  const events = await shownBy(storm);
  return events.length === 0 ? undefined : storm.draws.pick(events);
}

function scopeOf({ draws }: Storm, { recurringEventId }: CalendarEvent) {
  return typeof recurringEventId !== 'string' ? undefined : draws.pick(['this', 'this', 'following', 'all'] as const);
}

/** Edits of others, by bare requests. */
const RAW_EDITS: Readonly<Record<string, (storm: Storm) => Promise<string | undefined>>> = {
  async put({ raw, draws }) {
    const { day, time } = at(draws);
    const uid = `foreign-${draws.below(1_000_000_000)}`;
    const text = foreignObject({ uid, title: title(draws), day, time, rule: draws.pick([undefined, ...RULES]) });
    await raw.put(`${uid}.ics`, text);
    return `put ${uid}`;
  },
  async rename({ raw, draws }) {
    const objects = await raw.objects();
    if (objects.length === 0) return undefined;
    const { href, text } = draws.pick(objects);
    await raw.put(href, withAnotherTitle(text, `Renamed ${draws.below(1000)}`));
    return `raw rename ${href}`;
  },
  async remove({ raw, draws }) {
    const objects = await raw.objects();
    if (objects.length === 0) return undefined;
    const { href } = draws.pick(objects);
    await raw.remove(href);
    return `raw remove ${href}`;
  },
};

describe.each(inject('calendarServers'))('$name', (server) => {
  it.each(SEEDS)('shows what others read after each of many edits, seed %i', async (seed) => {
    const storm = await openStorm(server, seed);
    const done: string[] = [];
    try {
      while (done.length < EDITS) {
        const isOwn = storm.draws.chance(0.6);
        const edits = isOwn ? OWN_EDITS : RAW_EDITS;
        const names = isOwn
          ? ['create', 'rename', 'rename', 'move', 'move', 'delete']
          : ['put', 'put', 'rename', 'remove'];
        const what = await edits[storm.draws.pick(names)]?.(storm);
        if (what === undefined) continue;
        done.push(what);
        await expectEqual(storm, `${done.length}: ${done.slice(-3).join('\n')}`);
      }
    } finally {
      await storm.close();
    }
  });
});
