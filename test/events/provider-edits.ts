import fc from 'fast-check';
import { formatInstant, instantOf } from 'kalends/zones';
import { allDay, cancelledSlot, fakeEvent, fakeException } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld } from '../mirror/sync-world.ts';

export const DAY_MS = 86_400_000;
export const BASE_MS = Date.UTC(2026, 2, 2);
export const ZONES = ['America/New_York', 'Europe/Berlin', 'Pacific/Auckland'];
/** Zones of the same times. */
const SAME_CLOCKS = ['America/New_York', 'America/Toronto'];
const TITLES = ['plan', 'lunch', 'plan b'];
const SERIES = ['s0', 's1', 's2'];

export const day = fc.integer({ min: 0, max: 24 });
const index = fc.integer({ min: 0, max: 5 });
const title = fc.constantFrom(...TITLES);
const series = fc.constantFrom(...SERIES);

/** Changes of one calendar at its provider, and of ours. */
export const edit = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('single'), index, day, title, allDay: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('series'),
      series,
      day,
      title,
      allDay: fc.boolean(),
      interval: fc.integer({ min: 1, max: 3 }),
      count: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('move'), series, index, day, title }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cancel'), series, index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore'), series, index }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('remove'),
      id: fc.oneof(
        series,
        index.map((i) => `e${i}`),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('zone'), zone: fc.constantFrom(...ZONES) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('rezone'), series, zone: fc.constantFrom(...SAME_CLOCKS) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('whole'), whole: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('names'), only: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('ours'), index, day, title }) },
);
export type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never;

/** Makes the change, where there is something to change. */
export async function applyEdit(world: SyncWorld, change: Edit): Promise<void> {
  const { fake } = world;
  const store = fake.events(CALENDAR);
  switch (change.kind) {
    case 'single':
      fake.put(
        CALENDAR,
        fakeEvent(`e${change.index}`, {
          title: change.title,
          updatedAt: updatedOn(change.day),
          ...timesOf(change.day, change.allDay),
        }),
      );
      return;
    case 'series':
      for (const event of [...store.values()])
        if (event.seriesId === change.series) store.delete(event.providerEventId);
      fake.put(
        CALENDAR,
        fakeEvent(change.series, {
          title: change.title,
          ...timesOf(change.day, change.allDay),
          recurrence: [`RRULE:FREQ=DAILY;INTERVAL=${change.interval};COUNT=${change.count}`],
        }),
      );
      fake.touchSeries(CALENDAR, change.series);
      return;
    case 'move':
    case 'cancel':
    case 'restore':
      changeSlot(world, change);
      return;
    case 'remove':
      if (store.has(change.id)) fake.remove(CALENDAR, change.id);
      return;
    case 'zone':
      fake.switches.pageZone = change.zone;
      return;
    case 'rezone': {
      // Of its occurrences nothing is told.
      const content = store.get(change.series)?.content;
      if (content === undefined || content === null || content.isAllDay) return;
      const { start, end, ...rest } = content;
      const inZone = (point: typeof start) => ({ ...point, timeZone: change.zone });
      fake.put(CALENDAR, fakeEvent(change.series, { ...rest, start: inZone(start), end: inZone(end) }));
      return;
    }
    case 'expire':
      fake.expireTokens();
      return;
    case 'whole':
      fake.switches.wholeSeries = change.whole;
      return;
    case 'names':
      fake.switches.namesOnly = change.only;
      return;
    case 'ours':
      await ourEdit(world, `e${change.index}`, change.title, change.day);
  }
}

function changeSlot(world: SyncWorld, change: Extract<Edit, { kind: 'move' | 'cancel' | 'restore' }>): void {
  const { fake } = world;
  const master = fake.events(CALENDAR).get(change.series);
  if (master === undefined) return;
  const first = Date.parse(`${master.content!.start.dateTime.slice(0, 19)}Z`);
  const [, interval, count] = /INTERVAL=(\d+);COUNT=(\d+)/.exec(master.content!.recurrence![0]!)!;
  const wallMs = first + (change.index % Number(count)) * Number(interval) * DAY_MS;
  const slot = master.content!.isAllDay
    ? ({ kind: 'date', date: new Date(wallMs).toISOString().slice(0, 10) } as const)
    : ({ kind: 'instant', startMs: instantOf('America/New_York', wallMs) } as const);
  const id = `x-${change.series}-${wallMs}`;
  if (change.kind === 'move') {
    const times = timesOf(change.day, master.content!.isAllDay);
    fake.put(CALENDAR, fakeException(id, change.series, slot, { title: change.title, ...times }));
  } else if (change.kind === 'cancel') {
    fake.put(CALENDAR, cancelledSlot(change.series, slot, id));
  } else if (fake.events(CALENDAR).delete(id)) {
    fake.touchSeries(CALENDAR, change.series);
  }
}

/** A write through our own interface, of an event that may be gone. */
async function ourEdit(world: SyncWorld, id: string, newTitle: string, onDay: number): Promise<void> {
  if (!world.fake.events(CALENDAR).has(id)) return;
  const body = { title: newTitle, ...timesOf(onDay, false), isAllDay: false };
  await world.events.update(CALLER, ACCOUNT, CALENDAR, id, body);
}

/** Not unique, and in no order of ids. */
function updatedOn(onDay: number): string {
  return new Date(BASE_MS - ((onDay * 7) % 5) * DAY_MS).toISOString();
}

function timesOf(onDay: number, isAllDay: boolean) {
  const date = (offset: number) => new Date(BASE_MS + (onDay + offset) * DAY_MS).toISOString().slice(0, 10);
  if (isAllDay) return allDay(date(0), date(1));
  const start = instantOf('America/New_York', Date.parse(`${date(0)}T20:30:00Z`));
  const point = (ms: number) => ({ dateTime: formatInstant('America/New_York', ms), timeZone: 'America/New_York' });
  return { start: point(start), end: point(start + 5_400_000), isAllDay: false };
}
