import type { EventChange, ProviderEvent } from 'kalends/ports';
import { compileSeries } from 'kalends/recurrence';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADA, exceptionsIn, type Harness, primaryOf, pullAll, single, slotOf, startHarness } from '../harness.ts';

// Objects that Google sends and its reference does not promise, planted into the sandbox.

const calendar = primaryOf(ADA);
const DAY = 86_400_000;
const NINE = Date.UTC(2026, 2, 2, 9);
const timed = {
  start: { dateTime: '2026-03-02T09:00:00Z', timeZone: 'Europe/London' },
  end: { dateTime: '2026-03-02T10:00:00Z', timeZone: 'Europe/London' },
};
const allDay = { start: { date: '2026-03-02' }, end: { date: '2026-03-03' } };

let harness: Harness;
let warnings: { readonly text: string; readonly fields: unknown }[];

beforeEach(async () => {
  warnings = [];
  const logger = {
    debug: () => {},
    info: () => {},
    warn: (text: string, fields?: unknown) => warnings.push({ text, fields }),
    error: () => {},
  };
  harness = await startHarness({ logger });
});

afterEach(() => harness.close());

function plant(event: Record<string, unknown>): void {
  harness.sandbox.google.controls['plantEvent']?.({ calendarId: ADA, event });
}

async function pulled(): Promise<readonly EventChange[]> {
  const { changes } = await pullAll(harness.provider.events.pull(harness.sessionOf(ADA), calendar, null));
  return changes;
}

async function pulledEvents(): Promise<readonly ProviderEvent[]> {
  return (await pulled()).flatMap((change) => (change.kind === 'event' ? [change.event] : []));
}

function datesOf({ content }: ProviderEvent): readonly string[] {
  if (content === null) throw new Error('no content');
  const dtstart = content.start.dateTime.slice(0, content.isAllDay ? 10 : 19);
  const timeZone = content.isAllDay ? null : content.start.timeZone;
  return compileSeries({ dtstart, timeZone, lines: content.recurrence ?? [] })
    .occurrences({ from: 0, to: Date.UTC(2028, 0, 1) })
    .map(({ startMs }) => new Date(startMs).toISOString().slice(0, 10));
}

describe('rules that Google reads in its own way', () => {
  const instancesOf = async (id: string) => {
    const { items } = await harness.api(
      ADA,
      'GET',
      `/calendars/primary/events/${id}/instances?timeMax=2028-01-01T00:00:00Z`,
    );
    return (items as { start: { date?: string; dateTime?: string } }[]).map(({ start }) =>
      (start.date ?? start.dateTime ?? '').slice(0, 10),
    );
  };

  test.each([
    ['FREQ=YEARLY;WKST=MO;INTERVAL=1;BYMONTHDAY=2'],
    ['FREQ=YEARLY;BYMONTHDAY=20'],
    ['FREQ=YEARLY;BYMONTHDAY=-1,2;BYSETPOS=1'],
    ['FREQ=WEEKLY;BYDAY=TU;COUNT=3'],
    ['FREQ=MONTHLY;BYDAY=2MO;UNTIL=20260601T000000Z'],
  ])('%s has the occurrences that Google shows', async (rule) => {
    for (const times of [timed, allDay]) {
      const until = times === allDay ? rule.replace(/T\d{6}Z/, '') : rule;
      const body = { ...times, recurrence: [`RRULE:${until}`] };
      const { id } = await harness.api(ADA, 'POST', '/calendars/primary/events', body);
      const master = single(await harness.provider.events.get(harness.sessionOf(ADA), calendar, id as string));
      expect(datesOf(master)).toEqual(await instancesOf(id as string));
    }
  });

  test('a rule that kalends writes has the occurrences of RFC 5545 there', async () => {
    const recurrence = ['RRULE:FREQ=YEARLY;BYMONTHDAY=2;COUNT=14', 'EXDATE;VALUE=DATE:20260402'];
    const input = {
      title: 'Rent',
      start: { dateTime: '2026-03-02T09:00:00+00:00', timeZone: 'Europe/London' },
      end: { dateTime: '2026-03-02T10:00:00+00:00', timeZone: 'Europe/London' },
      recurrence,
    };
    const session = harness.sessionOf(ADA);
    const made = single(await harness.provider.events.create(session, calendar, input, { requestId: '7'.repeat(32) }));
    const expected = compileSeries({ dtstart: '2026-03-02T09:00:00', timeZone: 'Europe/London', lines: recurrence })
      .occurrences({ from: 0, to: Number.POSITIVE_INFINITY })
      .map(({ startMs }) => new Date(startMs).toISOString().slice(0, 10));
    expect(expected).toHaveLength(13);
    expect(await instancesOf(made.providerEventId)).toEqual(expected);
    expect(datesOf(made)).toEqual(expected);
    // The user's own spelling is no change.
    const target = { kind: 'event', providerEventId: made.providerEventId, current: made } as const;
    harness.sandbox.requests.clear();
    const again = single(await harness.provider.events.update(session, calendar, target, { recurrence }, {}));
    expect(again.content).toEqual(made.content);
    expect(harness.sandbox.requests.list().filter(({ method }) => method === 'PATCH')).toEqual([]);
  });
});

describe('recurrence lines', () => {
  test('that cannot be read cost that line alone, and are told', async () => {
    const lines = ['RRULE:FREQ=DAILY;COUNT=3', 'RRULE:DATE;TZID=Europe/Warsaw:20260310T100000', 'X-OTHER:1', 'RRULE:'];
    plant({
      id: 'odd1',
      ...timed,
      recurrence: [...lines, 'EXDATE;TZID=GMT+01:00:20260303T100000', 'EXDATE;TZID=Mars:20260304T090000'],
    });
    plant({ id: 'even1', ...timed, summary: 'Beside it' });
    const [odd, even] = await pulledEvents();
    expect(datesOf(odd as ProviderEvent)).toEqual(['2026-03-02', '2026-03-04', '2026-03-10']);
    expect(even?.content?.title).toBe('Beside it');
    expect(odd?.unreadableParts).toEqual([
      expect.stringMatching(/^recurrence: .*X-OTHER.* cannot be read$/),
      expect.stringMatching(/^recurrence: .* cannot be read$/),
    ]);
  });

  test('of which none can be read leave a series of one occurrence, whose exceptions stay', async () => {
    plant({ id: 'odd2', iCalUID: 'odd2@google.com', ...timed, recurrence: ['RRULE:FREQ=LUNAR'] });
    const instance = { id: 'odd2_20260302T090000Z', iCalUID: 'odd2@google.com', recurringEventId: 'odd2' };
    plant({ ...instance, ...timed, summary: 'Own' });
    const changes = await harness.provider.events.get(harness.sessionOf(ADA), calendar, 'odd2');
    expect(datesOf(single(changes))).toEqual(['2026-03-02']);
    expect(exceptionsIn(changes)).toMatchObject([
      { recurrenceId: { kind: 'instant', startMs: NINE }, content: { title: 'Own' } },
    ]);
  });
});

describe('objects without what the reference promises', () => {
  test('instances without originalStartTime, and stubs with an id alone, keep their slots', async () => {
    const { id } = await harness.api(ADA, 'POST', '/calendars/primary/events', {
      ...timed,
      recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
    });
    const later = { dateTime: '2026-03-03T15:00:00Z', timeZone: 'Europe/London' };
    plant({ id: `${id}_20260303T090000Z`, recurringEventId: id, start: later, end: later, summary: 'Moved' });
    plant({ id: `${id}_20260304T090000Z`, status: 'cancelled' });
    const [master, moved, cancelled] = await pulledEvents();
    expect(moved).toMatchObject({ seriesId: id, recurrenceId: { kind: 'instant', startMs: NINE + DAY } });
    expect(cancelled).toMatchObject({
      seriesId: id,
      recurrenceId: { kind: 'instant', startMs: NINE + 2 * DAY },
      isCancelled: true,
    });
    // The look-up of a slot knows it by its id too.
    const target = slotOf(master as ProviderEvent, NINE + DAY);
    const answer = await harness.provider.events.update(
      harness.sessionOf(ADA),
      calendar,
      target,
      { title: 'Found' },
      {},
    );
    expect(exceptionsIn(answer).map((event) => event.content?.title)).toContain('Found');
    plant({ id: `${id}_20260303T090000Z`, recurringEventId: id, start: later, end: later, iCalUID: 'hidden' });
    const gone = await harness.provider.events.delete(harness.sessionOf(ADA), calendar, target, {});
    expect(exceptionsIn(gone)).toContainEqual(
      expect.objectContaining({ recurrenceId: { kind: 'instant', startMs: NINE + DAY }, isCancelled: true }),
    );
  });

  test('birthdays, working locations, ends that are missing, hidden guests and stubs', async () => {
    plant({
      id: 'a1',
      ...allDay,
      end: allDay.start,
      eventType: 'birthday',
      birthdayProperties: { type: 'self' },
      recurrence: ['RRULE:FREQ=YEARLY'],
    });
    plant({
      id: 'b1',
      ...allDay,
      end: undefined,
      eventType: 'workingLocation',
      workingLocationProperties: { type: 'homeOffice' },
    });
    plant({
      id: 'c1',
      start: timed.start,
      eventType: 'somethingNew',
      attendeesOmitted: true,
      attendees: [{ email: ADA, self: true }],
    });
    plant({ id: 'd1', ...timed, end: { dateTime: '2026-03-02T08:00:00Z' } });
    plant({ id: 'e1', status: 'cancelled' });
    const changes = await pulled();
    const day = {
      start: { dateTime: '2026-03-02T00:00:00' },
      end: { dateTime: '2026-03-03T00:00:00' },
      eventType: 'default',
    };
    const noTime = { start: { dateTime: '2026-03-02T09:00:00+00:00' }, end: { dateTime: '2026-03-02T09:00:00+00:00' } };
    expect(changes).toMatchObject([
      { event: { providerEventId: 'a1', content: { ...day, recurrence: ['RRULE:FREQ=YEARLY'] } } },
      { event: { providerEventId: 'b1', content: day } },
      {
        event: {
          providerEventId: 'c1',
          content: { ...noTime, eventType: 'default', attendees: [{ email: ADA }] },
          uncopyable: [{ field: 'attendees' }, { field: 'eventType' }],
        },
      },
      { event: { providerEventId: 'd1', content: noTime } },
      { kind: 'deleted', providerEventId: 'e1' },
    ]);
  });
});

test('a guest list in which Google shows no address of a guest is read, and not written', async () => {
  const guests = [{ displayName: 'Someone' }, { email: 'guest@example.com' }];
  plant({ id: 'f1', ...timed, organizer: { email: ADA, self: true }, attendees: guests });
  const session = harness.sessionOf(ADA);
  const [change] = await harness.provider.events.get(session, calendar, 'f1');
  if (change?.kind !== 'event') throw new Error('no event');
  const { event: current } = change;
  expect(current.content?.attendees.map(({ email }) => email)).toEqual(['', 'guest@example.com']);
  expect(current.uncopyable).toMatchObject([{ field: 'attendees' }]);
  const target = { kind: 'event', providerEventId: 'f1', current } as const;
  const attendees = [{ email: '' }, { email: 'guest@example.com' }, { email: 'new@example.com' }];
  await expect(harness.provider.events.update(session, calendar, target, { attendees }, {})).rejects.toMatchObject({
    reason: 'unsupported',
    field: 'attendees',
  });
});

test('an event is found by its UID beside deleted ones that have the same', async () => {
  const iCalUID = 'shared@example.com';
  plant({ id: 'gone1', ...timed, iCalUID, status: 'cancelled' });
  plant({ id: 'alive', ...timed, iCalUID, summary: 'Alive' });
  plant({ id: 'gone2', ...timed, iCalUID, status: 'cancelled' });
  const session = harness.sessionOf(ADA);
  const found = await harness.provider.events.findCreated(session, calendar, 'request', iCalUID);
  expect(found).toEqual([expect.objectContaining({ event: expect.objectContaining({ providerEventId: 'alive' }) })]);
  plant({ id: 'alive', ...timed, iCalUID, status: 'cancelled' });
  expect(await harness.provider.events.findCreated(session, calendar, 'request', iCalUID)).toEqual([]);
});
