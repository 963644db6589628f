import fc from 'fast-check';
import type { EventChange, EventPatch, EventTarget, NewEvent, ProviderEvent } from 'kalends/ports';
import { expect, test } from 'vitest';
import { sizeOf } from '../../../../test/size-of.ts';
import { ADA, collect, createHarness, type Harness, nextRequestId } from '../harness.ts';

/*
 * The answer to a write is the state afterwards: a copy that is fed with nothing but the answers equals a whole pull,
 * even where every write changes the change key once more by itself.
 */

const DAY = 86_400_000;
const ZONE = 'Europe/Berlin';
const at = (day: number, hour: number) => ({
  dateTime: `${new Date(Date.UTC(2026, 5, 1) + day * DAY).toISOString().slice(0, 10)}T${String(hour).padStart(2, '0')}:00:00+02:00`,
  timeZone: ZONE,
});
const hours = (day: number, hour: number) => ({ start: at(day, hour), end: at(day, hour + 1) });

const step = fc.oneof(
  fc.record({ act: fc.constant('create' as const), day: fc.nat(20) }),
  fc.record({ act: fc.constant('series' as const), day: fc.nat(20), count: fc.integer({ min: 3, max: 9 }) }),
  fc.record({ act: fc.constant('rename' as const), pick: fc.nat() }),
  fc.record({ act: fc.constant('time' as const), pick: fc.nat(), hour: fc.integer({ min: 6, max: 20 }) }),
  fc.record({ act: fc.constant('rule' as const), pick: fc.nat(), count: fc.integer({ min: 3, max: 9 }) }),
  fc.record({
    act: fc.constant('slot' as const),
    pick: fc.nat(),
    slot: fc.nat(2),
    hour: fc.integer({ min: 6, max: 20 }),
  }),
  fc.record({ act: fc.constant('cancel' as const), pick: fc.nat(), slot: fc.nat(2) }),
  fc.record({ act: fc.constant('delete' as const), pick: fc.nat() }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Copy = Map<string, EventChange>;

const recordOf = (change: EventChange): ProviderEvent | undefined =>
  change.kind === 'series' ? change.master : change.kind === 'event' ? change.event : undefined;

function apply(copy: Copy, changes: readonly EventChange[]): void {
  for (const change of changes) {
    const record = recordOf(change);
    if (record !== undefined) copy.set(record.providerEventId, change);
    else if (change.kind !== 'series' && change.kind !== 'event') copy.delete(change.providerEventId);
  }
}

/** The slot of a daily series so many days after its first one, as the mirror knows it. */
function slotTarget(series: Extract<EventChange, { readonly kind: 'series' }>, days: number): EventTarget {
  const { master } = series;
  const startMs = Date.parse(master.content!.start.dateTime) + days * DAY;
  const recurrenceId = { kind: 'instant', startMs } as const;
  const known = series.exceptions.find(
    ({ recurrenceId: slot }) => slot?.kind === 'instant' && slot.startMs === startMs,
  );
  const current = known ?? {
    ...master,
    providerEventId: '',
    providerTag: null,
    seriesId: master.providerEventId,
    recurrenceId,
  };
  return { kind: 'occurrence', seriesId: master.providerEventId, recurrenceId, current, master };
}

async function perform(harness: Harness, copy: Copy, todo: Step, number: number): Promise<readonly EventChange[]> {
  const { events } = harness.provider;
  const session = await harness.session(ADA);
  const calendar = await harness.primary(ADA);
  const create = (input: NewEvent) => events.create(session, calendar, input, { requestId: nextRequestId() });
  const title = `write ${number}`;
  if (todo.act === 'create') return create({ title, ...hours(todo.day, 9) });
  if (todo.act === 'series') {
    const excluded = at(todo.day + 1, 9)
      .dateTime.slice(0, 10)
      .replaceAll('-', '');
    const recurrence = [`RRULE:FREQ=DAILY;COUNT=${todo.count}`, `EXDATE;TZID=${ZONE}:${excluded}T090000`];
    return create({ title, ...hours(todo.day, 9), recurrence });
  }
  const all = [...copy.values()];
  const series = all.filter((change) => change.kind === 'series');
  const list = todo.act === 'rename' || todo.act === 'delete' ? all : series;
  const picked = list[todo.pick % Math.max(1, list.length)];
  if (picked === undefined) return [];
  const current = recordOf(picked)!;
  const whole: EventTarget = { kind: 'event', providerEventId: current.providerEventId, current };
  const update = (target: EventTarget, patch: EventPatch) => events.update(session, calendar, target, patch, {});
  if (todo.act === 'delete') return events.delete(session, calendar, whole, { ifMatch: current.providerTag ?? '' });
  if (todo.act === 'rename') return update(whole, { title, colorId: String(number) });
  if (picked.kind !== 'series') return [];
  const day = (Date.parse(current.content!.start.dateTime) - Date.UTC(2026, 5, 1)) / DAY;
  if (todo.act === 'time') return update(whole, hours(Math.floor(day), todo.hour));
  if (todo.act === 'rule') return update(whole, { recurrence: [`RRULE:FREQ=DAILY;COUNT=${todo.count};INTERVAL=2`] });
  const target = slotTarget(picked, todo.slot);
  const patch =
    todo.act === 'cancel' ? { isCancelled: true } : { title, ...hours(Math.floor(day) + todo.slot, todo.hour) };
  return update(target, patch).catch((error: unknown) => {
    // A slot that an EXDATE line takes out is none; that is all that may go wrong.
    expect(error).toMatchObject({ reason: 'not-found' });
    return [];
  });
}

test('answers to writes are the state afterwards', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
      const harness = await createHarness({ odd: true });
      try {
        harness.control('setExtraChangeKeys', { share: 1 });
        const copy: Copy = new Map();
        for (const [number, todo] of steps.entries()) apply(copy, await perform(harness, copy, todo, number));
        const pulled: Copy = new Map();
        const pull = harness.provider.events.pull(await harness.session(ADA), await harness.primary(ADA), null);
        apply(pulled, (await collect(pull)).changes);
        expect(Object.fromEntries(copy)).toEqual(Object.fromEntries(pulled));
      } finally {
        await harness.close();
      }
    }),
    { numRuns: sizeOf('runs', { short: 6, long: 60 }) },
  );
});
