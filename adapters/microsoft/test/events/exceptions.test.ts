import type { CalendarRef, EventTarget, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { propertyId } from '../../src/events/kept-properties.ts';
import { ADA, collect, createHarness, type Harness, nextRequestId, onlySeries } from '../harness.ts';

let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;

/** Creates a daily series, changes its second slot and moves its third. */
async function changeSeries(): Promise<void> {
  const master = await harness.graph(ADA, 'POST', 'me/events', {
    subject: 'series',
    start: { dateTime: '2026-01-12T09:00:00', timeZone: 'UTC' },
    end: { dateTime: '2026-01-12T10:00:00', timeZone: 'UTC' },
    recurrence: {
      pattern: { type: 'daily', interval: 1 },
      range: { type: 'numbered', startDate: '2026-01-12', numberOfOccurrences: 3 },
    },
  });
  const path = `me/events/${master.id}/instances?startDateTime=2026-01-12&endDateTime=2026-01-16`;
  const { value } = await harness.graph(ADA, 'GET', path);
  await harness.graph(ADA, 'PATCH', `me/events/${value[1].id}`, {
    subject: 'other',
    singleValueExtendedProperties: [{ id: propertyId('kalends.private'), value: '{"k":"v"}' }],
  });
  await harness.graph(ADA, 'PATCH', `me/events/${value[2].id}`, {
    start: { dateTime: '2026-01-14T15:00:00', timeZone: 'UTC' },
    end: { dateTime: '2026-01-14T16:00:00', timeZone: 'UTC' },
  });
}

describe('exceptions of a series', () => {
  beforeEach(async () => {
    harness = await createHarness();
    session = await harness.session(ADA);
    calendar = await harness.primary(ADA);
    await changeSeries();
  });
  afterEach(() => harness.close());
  const pull = (provider = harness.provider) => collect(provider.events.pull(session, calendar, null));
  const slots = [
    { kind: 'instant', startMs: Date.UTC(2026, 0, 13, 9) },
    { kind: 'instant', startMs: Date.UTC(2026, 0, 14, 9) },
  ];

  test.each([
    ['expanded on several pages', 'setExpandedPageSize', { size: 1 }],
    ['expanded without their slots', 'setMissingOriginalStarts', { share: 1 }],
  ])('stay in their slots when %s', async (_, name, input) => {
    const { changes } = await pull();
    expect(onlySeries(changes).exceptions.map(({ recurrenceId }) => recurrenceId)).toEqual(slots);
    harness.control(name, input);
    expect((await pull()).changes).toEqual(changes);
  });

  test('are in their slots when these are named by whole minutes, of a series that starts within one', async () => {
    const byMinutes = harness.providerWith({
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (response.status === 204) return response;
        const text = (await response.text()).replace(/("originalStart":"[^"]*:\d\d):\d\d(?:\.\d+)?/g, '$1:00');
        return new Response(text, { status: response.status });
      },
    });
    const { events } = byMinutes;
    const at = (time: string) => ({ dateTime: `2026-01-12T${time}Z`, timeZone: 'UTC' });
    const input = {
      title: 'seconds',
      start: at('09:00:30'),
      end: at('09:30:30'),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=4', 'EXDATE:20260113T090030Z'],
    };
    const made = onlySeries(await events.create(session, calendar, input, { requestId: nextRequestId() }));
    const slotOf = (day: number) => ({ kind: 'instant' as const, startMs: Date.UTC(2026, 0, day, 9, 0, 30) });
    const target = (day: number): EventTarget => ({
      kind: 'occurrence',
      seriesId: made.master.providerEventId,
      recurrenceId: slotOf(day),
      current: { ...made.master, providerEventId: '' },
      master: made.master,
    });
    await events.update(session, calendar, target(14), { title: 'other' }, {});
    const after = onlySeries(await events.delete(session, calendar, target(15), {}));
    expect(after.exceptions.map(({ recurrenceId, isCancelled }) => [recurrenceId, isCancelled])).toEqual([
      [slotOf(14), false],
      [slotOf(15), true],
    ]);
    const path = `me/events/${made.master.providerEventId}/instances?startDateTime=2026-01-12&endDateTime=2026-01-20`;
    const { value } = await harness.graph(ADA, 'GET', path);
    expect(value.map(({ start }: { start: { dateTime: string } }) => start.dateTime.slice(8, 10))).toEqual([
      '12',
      '14',
    ]);
    // Gone already, and never there.
    expect(await events.delete(session, calendar, target(15), {})).toHaveLength(1);
    await expect(events.delete(session, calendar, target(20), {})).rejects.toMatchObject({ reason: 'not-found' });
  });

  test('are never placed by their start', async () => {
    const withoutSlots = harness.providerWith({
      fetch: async (input, init) => {
        const text = await (await fetch(input, init)).text();
        return new Response(text.replace(/"originalStart":"[^"]*",?/g, '').replace(/,}/g, '}'));
      },
    });
    const { changes } = await pull(withoutSlots);
    const reason = 'originalStart: is required of an instance';
    expect(changes).toMatchObject([{ kind: 'series', exceptions: [] }]);
    const unreadable = changes.flatMap((change) => (change.kind === 'series' ? (change.unreadable ?? []) : []));
    expect(unreadable.length).toBeGreaterThan(0);
    expect(unreadable.every((exception) => exception.reason === reason)).toBe(true);
  });

  test('are read one by one where nested options are refused', async () => {
    const whole = await pull();
    const refusing = harness.providerWith({
      fetch: (input, init) =>
        String(input).includes('exceptionOccurrences(')
          ? Promise.resolve(Response.json({ error: { code: 'ErrorInvalidUrlQuery', message: '' } }, { status: 400 }))
          : fetch(input, init),
    });
    const again = await pull(refusing);
    expect(again.changes).toEqual(whole.changes);
    expect(JSON.stringify(again.changes)).toContain('"k":"v"');
  });
});
