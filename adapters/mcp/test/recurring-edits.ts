import { expect } from 'vitest';
import { idOf, type McpClient, type McpWorld, PEOPLE, type PersonAt, tokenOf } from './mcp-world.ts';
import { rawEvents } from './raw-events.ts';

/*
 * A scripted agent. It knows titles and dates, finds every id in the answers of tools, and asks for each write twice. What it expects is
 * computed from dates alone; what is there is read from the provider.
 */

const DAY_MS = 86_400_000;
const ZONES = ['Europe/London', 'America/New_York', 'Australia/Sydney', 'Europe/Berlin', 'America/Santiago'];
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const CLOCKS = ['09:00', '17:45', '07:15', '23:30', '05:00'];
const YEAR = { from: '2027-01-01', to: '2027-12-31' };

/** A wall-clock day and time, as if in UTC. */
const wallMs = (text: string): number => Date.parse(`${text}:00Z`);
const wallText = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
const dayText = (ms: number): string => wallText(ms).slice(0, 10);

/** One weekly run of a series: what each of its slots has become. */
interface Slot {
  /** By the rule. */
  wall: number;
  /** Where it is now; undefined for a cancelled one. */
  now: number | undefined;
  isChanged: boolean;
}

/** Plays ten edits on one series, and compares the provider's own state after each. Resolves with their number. */
export async function playSeries(world: McpWorld, agent: McpClient, person: PersonAt, index: number): Promise<number> {
  const zone = ZONES[index % ZONES.length] ?? 'Europe/London';
  const weekday = (index * 3 + 1) % 7;
  const clock = CLOCKS[(index + Math.floor(index / 5)) % CLOCKS.length] ?? '09:00';
  const title = `Stand-up ${person} ${index}`;
  const accountId = world.accounts[person];
  const list = await agent.call('list_calendars', { accountId });
  const [, literal = ''] = /calendarId: (".*")/.exec(list.text) ?? [];
  const place = { accountId, calendarId: JSON.parse(literal) as string };

  // The provider's limit of calls is a minute's.
  world.clock.advance(60_000);
  // Monday, 1 February 2027.
  const first = wallMs(`${dayText(wallMs('2027-02-01T00:00') + weekday * DAY_MS)}T${clock}`);
  const weekly = (from: number, step = 7) => {
    const walls: number[] = [];
    for (let wall = from; dayText(wall) <= YEAR.to; wall += step * DAY_MS) walls.push(wall);
    return walls.map((wall): Slot => ({ wall, now: wall, isChanged: false }));
  };
  let slots = weekly(first);
  const slotAt = (position: number): Slot => {
    const slot = slots[position];
    if (slot === undefined) throw new Error(`no slot ${position}`);
    return slot;
  };

  async function written(tool: string, input: Readonly<Record<string, unknown>>, words: readonly string[]) {
    const preview = await agent.call(`preview_${tool}`, { ...place, ...input });
    expect(preview, preview.text).toMatchObject({ isError: false });
    for (const part of words) expect(preview.text).toContain(part);
    const done = await agent.call(tool, { ...place, ...input, previewToken: tokenOf(preview) });
    expect(done, done.text).toMatchObject({ isError: false });
  }
  async function idOn(wall: number): Promise<string> {
    const day = dayText(wall);
    const found = await agent.call('list_events', { accountId, from: day, to: day, timeZone: zone, title });
    return idOf(found.text, title, 'eventId');
  }
  async function agree(step: string) {
    const expected = slots.flatMap(({ now }) => (now === undefined ? [] : [wallText(now)])).sort();
    const raw = await rawEvents(world, person, title, zone, YEAR);
    expect(
      raw.map(({ start }) => start),
      `${title}: ${step}`,
    ).toEqual(expected);
    expect(new Set(raw.map(({ minutes }) => minutes)), `${title}: ${step}`).toEqual(new Set([15]));
    return raw;
  }
  const dayName = (wall: number) =>
    new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' }).format(new Date(wall));

  await written(
    'create_event',
    {
      title,
      start: wallText(first),
      end: wallText(first + 15 * 60_000),
      timeZone: zone,
      recurrence: [`RRULE:FREQ=WEEKLY;BYDAY=${WEEKDAYS[weekday]}`],
    },
    [dayName(first)],
  );
  await agree('created');

  /** Moves one occurrence by minutes: "move next Tuesday's stand-up to 10". */
  async function moveOne(position: number, minutes: number) {
    const slot = slotAt(position);
    const to = (slot.now ?? slot.wall) + minutes * 60_000;
    const eventId = await idOn(slot.now ?? slot.wall);
    await written('change_event', { eventId, scope: 'this', start: wallText(to), timeZone: zone }, [
      'the series stays',
      dayName(to),
    ]);
    Object.assign(slot, { now: to, isChanged: true });
    await agree(`moved one at ${position}`);
  }
  /** Cancels one occurrence: "cancel the one after the holiday". */
  async function cancelOne(position: number) {
    const slot = slotAt(position);
    await written('cancel_event', { eventId: await idOn(slot.wall), scope: 'this' }, ['the series stays']);
    slot.now = undefined;
    await agree(`cancelled one at ${position}`);
  }

  await moveOne(3, 60);
  await cancelOne(5);
  // Into the week of the change of the clocks in Europe, a day later.
  await moveOne(8, 24 * 60 + 45);
  await cancelOne(10);

  // "All of them an hour earlier."
  await written(
    'change_event',
    {
      eventId: await idOn(slotAt(1).wall),
      scope: 'all',
      start: wallText(slotAt(1).wall - 60 * 60_000),
      timeZone: zone,
    },
    ['the whole series'],
  );
  slots = slots.map((slot) => ({
    ...slot,
    wall: slot.wall - 60 * 60_000,
    now: slot.now === undefined || slot.isChanged ? slot.now : slot.now - 60 * 60_000,
  }));
  await agree('moved all');

  /** Moves an occurrence and all later ones: "from May on, on the next weekday". */
  async function moveFollowing(position: number, days: number, input: object, step = 7) {
    const { wall } = slotAt(position);
    const to = wall + days * DAY_MS + 2 * 3_600_000 - (dayText(wall + 2 * 3_600_000) === dayText(wall) ? 0 : DAY_MS);
    const eventId = await idOn(wall);
    await written('change_event', { eventId, scope: 'following', start: wallText(to), timeZone: zone, ...input }, [
      'earlier ones stay',
      dayName(to),
    ]);
    slots = [...slots.slice(0, position), ...weekly(to, step)];
    await agree(`moved from ${position}`);
    return to;
  }
  await moveFollowing(14, 1, {});
  await moveOne(16, -75);
  const fortnight = slotAt(20).wall;
  const turned = WEEKDAYS[(new Date(fortnight + 2 * DAY_MS + 2 * 3_600_000).getUTCDay() + 6) % 7];
  const landed =
    dayText(fortnight + 2 * 3_600_000) === dayText(fortnight)
      ? turned
      : WEEKDAYS[(new Date(fortnight + DAY_MS + 2 * 3_600_000).getUTCDay() + 6) % 7];
  await moveFollowing(20, 2, { recurrence: [`RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=${landed}`] }, 14);

  // One that keeps its time on another place.
  const { wall: there } = slotAt(25);
  await written('change_event', { eventId: await idOn(there), scope: 'this', location: 'Room 4' }, ['"Room 4"']);
  const raw = await agree('placed one');
  expect(raw.filter(({ place: room }) => room === 'Room 4').map(({ start }) => start)).toEqual([wallText(there)]);

  // "Nothing any more from December on."
  const end = slots.findIndex(({ wall }) => dayText(wall) >= '2027-12-01');
  await written('cancel_event', { eventId: await idOn(slotAt(end).wall), scope: 'following' }, ['earlier ones stay']);
  slots = slots.slice(0, end);
  await agree('ended');
  return 10;
}

export const PEOPLE_OF_EDITS = Object.keys(PEOPLE) as readonly PersonAt[];
