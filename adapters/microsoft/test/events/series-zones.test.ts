import type { CalendarRef, EventPatch, EventTarget, ProviderEvent, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADA, createHarness, type Harness, nextRequestId, onlySeries } from '../harness.ts';

/* Graph refuses times in another zone than its series has unless the recurrence goes along, and any name that is no zone. */

const NEW_YORK = 'America/New_York';
const LABEL = 'tzone://Microsoft/Custom';
const WEEKLY = 'RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=5';

let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;

beforeEach(async () => {
  harness = await createHarness();
  session = await harness.session(ADA);
  calendar = await harness.primary(ADA);
});
afterEach(() => harness.close());

const read = async (id: string) => onlySeries(await harness.provider.events.get(session, calendar, id));
const whole = (current: ProviderEvent): EventTarget => ({
  kind: 'event',
  providerEventId: current.providerEventId,
  current,
});
const update = async (target: EventTarget, patch: EventPatch) =>
  onlySeries(await harness.provider.events.update(session, calendar, target, patch, {}));

const at = (dateTime: string) => ({ dateTime, timeZone: NEW_YORK });
const day = (date: string) => ({ dateTime: `${date}T00:00:00`, timeZone: '' });

/** A weekly series from Monday 2026-02-02 at nine. */
async function createWeekly() {
  const input = {
    title: 'Weekly',
    start: at('2026-02-02T09:00:00-05:00'),
    end: at('2026-02-02T10:00:00-05:00'),
    recurrence: [WEEKLY],
  };
  return onlySeries(await harness.provider.events.create(session, calendar, input, { requestId: nextRequestId() }));
}

function occurrence({ master, exceptions }: ReturnType<typeof onlySeries>, slot: string): EventTarget {
  const startMs = Date.parse(slot);
  const recurrenceId = { kind: 'instant', startMs } as const;
  const known = exceptions.find(({ recurrenceId: id }) => id?.kind === 'instant' && id.startMs === startMs);
  const seriesId = master.providerEventId;
  const current = known ?? { ...master, providerEventId: '', seriesId, recurrenceId };
  return { kind: 'occurrence', seriesId, recurrenceId, current, master };
}

async function createDaysIn(timeZone: string): Promise<ProviderEvent> {
  const { id } = await harness.graph(ADA, 'POST', 'me/events', {
    subject: 'Days',
    isAllDay: true,
    start: { dateTime: '2026-02-02T00:00:00', timeZone },
    end: { dateTime: '2026-02-03T00:00:00', timeZone },
    recurrence: {
      pattern: { type: 'weekly', interval: 1, daysOfWeek: ['monday'], firstDayOfWeek: 'monday' },
      range: { type: 'numbered', startDate: '2026-02-02', numberOfOccurrences: 5 },
    },
  });
  return (await read(id)).master;
}

describe('the length of a series', () => {
  const rangeOf = async (id: string) => (await harness.graph(ADA, 'GET', `me/events/${id}`)).recurrence.range;

  test('of whole days changes in the zone that the series has', async () => {
    const master = await createDaysIn('Pacific/Auckland');
    const longer = { start: day('2026-02-02'), end: day('2026-02-04') };
    expect((await update(whole(master), longer)).master.content).toMatchObject({ ...longer, recurrence: [WEEKLY] });
    expect((await rangeOf(master.providerEventId)).recurrenceTimeZone).toBe('Pacific/Auckland');
  });

  test('of whole days changes in the zone of the calendar where its own has no known rules', async () => {
    const { providerEventId: id } = await createDaysIn('Pacific/Auckland');
    harness.control('setZoneLabel', { email: ADA, label: LABEL });
    const longer = { start: day('2026-02-02'), end: day('2026-02-04') };
    const { master } = await update(whole((await read(id)).master), longer);
    expect(master.content).toMatchObject({ ...longer, recurrence: [WEEKLY] });
    expect((await rangeOf(id)).recurrenceTimeZone).toBe(NEW_YORK);
  });

  test('changes where its zone has no known rules', async () => {
    const { providerEventId: id } = (await createWeekly()).master;
    harness.control('setZoneLabel', { email: ADA, label: LABEL });
    const longer = { start: at('2026-02-02T09:00:00-05:00'), end: at('2026-02-02T11:00:00-05:00') };
    const { master } = await update(whole((await read(id)).master), longer);
    expect(master.content).toMatchObject({ ...longer, recurrence: [WEEKLY] });
  });
});

describe('a series whose zone has no known rules', () => {
  /** The weekly series under its label, after a change at Graph to the occurrence of the second Monday. */
  async function labelled(change: (path: string) => Promise<unknown>) {
    const { providerEventId: id } = (await createWeekly()).master;
    const path = `me/events/${id}/instances?startDateTime=2026-02-09&endDateTime=2026-02-10`;
    const [{ id: second }] = (await harness.graph(ADA, 'GET', path)).value;
    await change(`me/events/${second}`);
    harness.control('setZoneLabel', { email: ADA, label: LABEL });
    return await read(id);
  }

  test('gets a deleted occurrence back', async () => {
    const series = await labelled((path) => harness.graph(ADA, 'DELETE', path));
    expect(series.exceptions).toMatchObject([{ isCancelled: true }]);
    const restored = await update(occurrence(series, '2026-02-09T14:00:00Z'), { isCancelled: false });
    expect(restored.master.content?.recurrence).toEqual([WEEKLY]);
    expect(restored.exceptions).toEqual([]);
  });

  test('keeps a moved occurrence with another one that comes back', async () => {
    const moved = {
      start: { dateTime: '2026-02-09T15:00:00', timeZone: 'UTC' },
      end: { dateTime: '2026-02-09T16:00:00', timeZone: 'UTC' },
    };
    const series = await labelled((path) => harness.graph(ADA, 'PATCH', path, moved));
    const third = `me/events/${series.master.providerEventId}/instances?startDateTime=2026-02-16&endDateTime=2026-02-17`;
    const [{ id }] = (await harness.graph(ADA, 'GET', third)).value;
    await harness.graph(ADA, 'DELETE', `me/events/${id}`);
    const restored = await update(occurrence(await read(series.master.providerEventId), '2026-02-16T14:00:00Z'), {
      isCancelled: false,
    });
    expect(restored.exceptions).toMatchObject([
      { isCancelled: false, content: { start: at('2026-02-09T10:00:00-05:00') } },
    ]);
  });

  test('takes an exception along to its new times', async () => {
    const series = await labelled((path) =>
      harness.graph(ADA, 'PATCH', path, {
        start: { dateTime: '2026-02-09T15:00:00', timeZone: 'UTC' },
        end: { dateTime: '2026-02-09T16:00:00', timeZone: 'UTC' },
      }),
    );
    const earlier = { start: at('2026-02-02T08:00:00-05:00'), end: at('2026-02-02T09:00:00-05:00') };
    const { master, exceptions } = await update(whole(series.master), earlier);
    expect(master.content).toMatchObject(earlier);
    expect(exceptions).toMatchObject([{ content: { start: at('2026-02-09T10:00:00-05:00') } }]);
  });

  test('gets other lines', async () => {
    const { providerEventId: id } = (await createWeekly()).master;
    harness.control('setZoneLabel', { email: ADA, label: LABEL });
    const recurrence = ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=5'];
    const { master } = await update(whole((await read(id)).master), { recurrence });
    expect(master.content).toMatchObject({ start: at('2026-02-02T09:00:00-05:00'), recurrence });
  });
});
