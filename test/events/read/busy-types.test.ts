import fc from 'fast-check';
import type { FreeBusyResult } from 'kalends/model';
import { expect, test } from 'vitest';
import { fakeEvent } from '../../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../../mirror/sync-world.ts';
import { sizeOf } from '../../size-of.ts';

const RUNS = sizeOf('runs', { short: 25, long: 200 });
const MINUTES = 120;
const START = Date.UTC(2026, 2, 4, 9);
const timeOf = (minute: number) => new Date(START + minute * 60_000).toISOString();
const minuteOf = (text: string) => (Date.parse(text) - START) / 60_000;
const QUERY = { startDateTime: timeOf(0), endDateTime: timeOf(MINUTES), timeZone: 'UTC', calendarIds: [CALENDAR] };

const STATES = ['free', 'workingElsewhere', 'tentative', 'busy', 'oof'] as const;
type State = (typeof STATES)[number];
interface Plan {
  readonly from: number;
  readonly length: number;
  readonly showAs: State;
  readonly isDeclined: boolean;
  readonly isDaily: boolean;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  from: fc.integer({ min: -20, max: MINUTES }),
  length: fc.integer({ min: 0, max: 50 }),
  showAs: fc.constantFrom(...STATES),
  isDeclined: fc.integer({ min: 0, max: 9 }).map((digit) => digit === 0),
  isDaily: fc.boolean(),
});

function put(world: SyncWorld, plans: readonly Plan[]): void {
  for (const [index, { from, length, showAs, isDeclined, isDaily }] of plans.entries()) {
    const startAt = isDaily ? from - 24 * 60 : from;
    world.fake.put(
      CALENDAR,
      fakeEvent(`e${index}`, {
        start: { dateTime: timeOf(startAt), timeZone: 'UTC' },
        end: { dateTime: timeOf(startAt + length), timeZone: 'UTC' },
        transparency: showAs === 'free' ? 'transparent' : 'opaque',
        showAs,
        ...(isDeclined ? { myResponseStatus: 'declined' as const } : {}),
        ...(isDaily ? { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] } : {}),
      }),
    );
  }
}

/** The state of each minute: the strongest of the events that cover it. */
function minutesOf(plans: readonly Plan[]): readonly State[] {
  return Array.from({ length: MINUTES }, (_, minute) => {
    const covering = plans.filter(({ from, length, isDeclined }) => {
      return !isDeclined && from <= minute && minute < from + length;
    });
    return STATES.findLast((state) => covering.some(({ showAs }) => showAs === state)) ?? 'free';
  });
}

/** The slots of a grid: runs of minutes with one state. */
function runsOf(states: readonly State[]) {
  const runs: { from: number; to: number; type: State }[] = [];
  for (const [minute, type] of states.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && last.type === type && last.to === minute) last.to += 1;
    else if (type !== 'free') runs.push({ from: minute, to: minute + 1, type });
  }
  return runs;
}

const shown = ([calendar]: FreeBusyResult) =>
  calendar?.busySlots.map(({ start, end, ...rest }) => ({
    from: minuteOf(start.dateTime),
    to: minuteOf(end.dateTime),
    ...rest,
  }));

test('slots have the strongest type of each minute, and without types they are merged as ever', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { maxLength: 12 }), async (plans) => {
      const world = await syncWorld();
      put(world, plans);
      const ask = async (body = {}) => shown(await world.freeBusy.query(CALLER, ACCOUNT, { ...QUERY, ...body }));
      const states = minutesOf(plans);
      expect(await ask({ includeTypes: true })).toEqual(runsOf(states));
      const merged = runsOf(states.map((state) => (state === 'free' ? 'free' : 'busy')));
      const untyped = merged.map(({ from, to }) => ({ from, to }));
      expect(await ask()).toEqual(untyped);
      expect(await ask({ includeTypes: false })).toEqual(untyped);
      await world.close();
    }),
    { numRuns: RUNS },
  );
});
