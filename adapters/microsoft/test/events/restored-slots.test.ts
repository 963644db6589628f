import fc from 'fast-check';
import type { CalendarRef, EventPatch, EventTarget, NewEvent, ProviderEvent, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sizeOf } from '../../../../test/size-of.ts';
import { ADA, BEN, collect, createHarness, type Harness, nextRequestId, onlySeries } from '../harness.ts';

/* Exchange forgets deletions only together with the pattern: bringing one slot back must leave the others as they were. */

const DAY_MS = 86_400_000;
const FIRST = Date.UTC(2026, 1, 2, 9);

let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;

beforeEach(async () => {
  harness = await createHarness();
  session = await harness.session(ADA);
  calendar = await harness.primary(ADA);
});
afterEach(() => harness.close());

type Series = ReturnType<typeof onlySeries>;

const point = (ms: number) => ({ dateTime: new Date(ms).toISOString().replace('.000Z', '+00:00'), timeZone: 'UTC' });
const input: NewEvent = {
  title: 'Series',
  start: point(FIRST),
  end: point(FIRST + 3_600_000),
  recurrence: ['RRULE:FREQ=DAILY;COUNT=8'],
};
const create = async (more: Partial<NewEvent> = {}) =>
  onlySeries(
    await harness.provider.events.create(session, calendar, { ...input, ...more }, { requestId: nextRequestId() }),
  );
const whole = (current: ProviderEvent): EventTarget => ({
  kind: 'event',
  providerEventId: current.providerEventId,
  current,
});

function slot({ master, exceptions }: Series, startMs: number): EventTarget {
  const recurrenceId = { kind: 'instant', startMs } as const;
  const known = exceptions.find(({ recurrenceId: at }) => at?.kind === 'instant' && at.startMs === startMs);
  const current = known ?? { ...master, providerEventId: '', seriesId: master.providerEventId, recurrenceId };
  return { kind: 'occurrence', seriesId: master.providerEventId, recurrenceId, current, master };
}

async function update(target: EventTarget, patch: EventPatch, ifMatch?: string) {
  const options = ifMatch === undefined ? {} : { ifMatch };
  return onlySeries(await harness.provider.events.update(session, calendar, target, patch, options));
}

async function read({ master }: Series) {
  return onlySeries(await harness.provider.events.get(session, calendar, master.providerEventId));
}

/** The next PATCH but one is answered with this, and not carried out. */
const refuseSecondPatch = (status: number, code: string) =>
  harness.sandbox.faults.arm({
    ...{ provider: 'microsoft', method: 'PATCH', path: '/v1.0/.*', skip: 1, times: 1 },
    ...{ kind: 'answer', status, body: JSON.stringify({ error: { code } }) },
  });

/** The slots of a series, day by day. */
const shown = ({ master, exceptions }: Series) => ({
  recurrence: master.content?.recurrence,
  slots: Object.fromEntries(
    exceptions.map(({ recurrenceId, isCancelled, content }) => [
      recurrenceId?.kind === 'instant' ? (recurrenceId.startMs - FIRST) / DAY_MS : '',
      isCancelled ? 'cancelled' : `${content?.title} ${content?.start.dateTime}`,
    ]),
  ),
});

const patterns = [
  'RRULE:FREQ=DAILY;COUNT=8',
  'RRULE:FREQ=DAILY;INTERVAL=2;UNTIL=20260222T090000Z',
  'RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=9',
  'RRULE:FREQ=MONTHLY;BYMONTHDAY=2;COUNT=9',
  'RRULE:FREQ=MONTHLY;BYDAY=1MO',
  'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=2',
];

test.each(patterns)('a slot of %s comes back, and the others stay as they are', async (rule) => {
  let series = await create({ recurrence: [rule] });
  const { value } = await harness.graph(
    ADA,
    'GET',
    `me/events/${series.master.providerEventId}/instances?startDateTime=2026-01-01&endDateTime=2030-12-30&$top=5`,
  );
  const starts = value.map(({ start }: { start: { dateTime: string } }) =>
    Date.parse(`${start.dateTime.slice(0, 19)}Z`),
  );
  series = await update(slot(series, starts[1]), { title: 'Special', privateExtendedProperties: { k: 'v' } });
  series = await update(slot(series, starts[2]), { isCancelled: true });
  series = await update(slot(series, starts[3]), { isCancelled: true });
  const before = shown(series);
  series = await update(slot(series, starts[2]), { isCancelled: false });
  const { [(starts[2] - FIRST) / DAY_MS]: _gone, ...others } = before.slots;
  expect(shown(series)).toEqual({ ...before, slots: others });
  expect(series).toEqual(await read(series));
  expect(series.exceptions.find(({ isCancelled }) => !isCancelled)?.content?.privateExtendedProperties).toEqual({
    k: 'v',
  });
});

/** Returns the content of the third occurrence, without its times of change and the id of its meeting. */
function thirdOf({ exceptions }: Series) {
  const third = exceptions.find(
    ({ recurrenceId: at }) => at?.kind === 'instant' && at.startMs === FIRST + 2 * DAY_MS,
  )?.content;
  const { createdAt, updatedAt, webLink, conferenceData, ...content } = third ?? {};
  return { ...content, isMeeting: conferenceData?.joinUrl?.startsWith('https:') };
}

test.each<EventPatch>([
  { categories: ['Red'] },
  { guestsCanSeeOtherGuests: false },
  { allowNewTimeProposals: false },
  { attendees: [{ email: BEN, kind: 'optional' }, { email: 'cy@else.test' }] },
  { generateMeetingUrlProvider: 'teamsForBusiness' },
  { generateMeetingUrlProvider: 'teamsForBusiness', description: 'Own words' },
  { reminders: { overrides: [{ method: 'popup', minutes: 30 }] }, showAs: 'workingElsewhere', visibility: 'private' },
])('an occurrence with %j of its own keeps it when another one comes back', async (patch) => {
  let series = await create({ attendees: [{ email: BEN }, { email: 'cy@else.test' }], description: 'All' });
  series = await update(slot(series, FIRST + 2 * DAY_MS), patch);
  series = await update(slot(series, FIRST + DAY_MS), { isCancelled: true });
  const after = await update(slot(series, FIRST + DAY_MS), { isCancelled: false });
  expect(thirdOf(after)).toEqual(thirdOf(series));
});

test('an occurrence whose series came to have its state keeps the state as its own', async () => {
  let series = await create();
  series = await update(slot(series, FIRST + 2 * DAY_MS), { status: 'tentative' });
  series = await update(whole(series.master), { status: 'tentative' });
  series = await update(slot(series, FIRST + DAY_MS), { isCancelled: true });
  series = await update(slot(series, FIRST + DAY_MS), { isCancelled: false });
  series = await update(whole(series.master), { status: 'confirmed' });
  expect(thirdOf(series)).toMatchObject({ status: 'tentative' });
});

test('random histories of one series end as a plain model has them', async () => {
  const step = fc.record({
    day: fc.nat(7),
    act: fc.constantFrom('cancel' as const, 'restore' as const, 'rename' as const),
    name: fc.constantFrom('A', 'B'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
      let series = await create();
      const model: Record<number, string> = {};
      for (const { day, act, name } of steps) {
        const isCancelled = model[day] === 'cancelled';
        if (act === 'restore' && !isCancelled) continue;
        const target = slot(series, FIRST + day * DAY_MS);
        const at = `2026-02-0${2 + day}T09:00:00+00:00`;
        if (act === 'cancel') model[day] = 'cancelled';
        else if (act === 'rename') model[day] = `${name} ${at}`;
        else delete model[day];
        const patch = { cancel: { isCancelled: true }, restore: { isCancelled: false }, rename: { title: name } }[act];
        series = await update(target, patch);
      }
      expect(shown(series)).toEqual({ recurrence: input.recurrence, slots: model });
    }),
    { numRuns: sizeOf('runs', { short: 6, long: 60 }) },
  );
});

test('an interruption leaves a series that reads as meant, and a second attempt or any other write ends it', async () => {
  for (const attempt of ['again', 'other', 'elsewhere'] as const) {
    let series = await create();
    series = await update(slot(series, FIRST + DAY_MS), { isCancelled: true });
    const target = slot(series, FIRST + DAY_MS);
    refuseSecondPatch(403, 'ErrorAccessDenied');
    await expect(update(target, { isCancelled: false })).rejects.toMatchObject({ reason: 'unavailable' });
    const { master } = await read(series);
    expect(master.content?.recurrence).toEqual(input.recurrence);
    const { changes } = await collect(harness.provider.events.pull(session, calendar, null));
    const pulled = changes.find(
      (each) => each.kind === 'series' && each.master.providerEventId === master.providerEventId,
    );
    expect(pulled).toEqual({ kind: 'series', master, exceptions: [] });
    if (attempt === 'again') series = await update(target, { isCancelled: false, title: 'Back' });
    else if (attempt === 'other') series = await update(whole(master), { title: 'Renamed' });
    else {
      await harness.graph(ADA, 'PATCH', `me/events/${master.providerEventId}`, {
        recurrence: {
          pattern: { type: 'daily', interval: 3 },
          range: { type: 'numbered', startDate: '2026-02-02', numberOfOccurrences: 4 },
        },
      });
      series = await update(whole(master), { title: 'Renamed' });
    }
    const rule = attempt === 'elsewhere' ? ['RRULE:FREQ=DAILY;INTERVAL=3;COUNT=4'] : input.recurrence;
    expect(series.master.content?.recurrence).toEqual(rule);
    const { recurrence } = await harness.graph(ADA, 'GET', `me/events/${master.providerEventId}`);
    expect(recurrence.pattern.interval).toBe(attempt === 'elsewhere' ? 3 : 1);
    expect(recurrence.range.numberOfOccurrences).toBe(attempt === 'elsewhere' ? 4 : 8);
  }
});

test('an update that asks for slots back and fails leaves everything as it was', async () => {
  const exdate = 'EXDATE:20260204T090000Z';
  let series = await create({ recurrence: ['RRULE:FREQ=DAILY;COUNT=8', exdate] });
  series = await update(slot(series, FIRST + DAY_MS), { title: 'Special' });
  series = await update(slot(series, FIRST + 4 * DAY_MS), { isCancelled: true });
  refuseSecondPatch(400, 'ErrorPropertyValidationFailure');
  await expect(update(whole(series.master), { recurrence: input.recurrence ?? null })).rejects.toMatchObject({
    reason: 'invalid',
  });
  expect(shown(await read(series))).toEqual(shown(series));
  const after = await update(whole(series.master), { recurrence: input.recurrence ?? null });
  expect(shown(after)).toEqual({ ...shown(series), recurrence: input.recurrence });
});

test('a slot comes back with a patch that is refused either way or not at all', async () => {
  let series = await create();
  series = await update(slot(series, FIRST + 3 * DAY_MS), { title: 'Special' });
  series = await update(slot(series, FIRST + DAY_MS), { isCancelled: true });
  const target = slot(series, FIRST + DAY_MS);
  const far = { start: point(FIRST + 5 * DAY_MS), end: point(FIRST + 5 * DAY_MS + 1) };
  for (const [patch, field] of [
    [{ eventType: 'focusTime' }, 'eventType'],
    [far, 'start'],
  ] as const) {
    await expect(update(target, { ...patch, isCancelled: false })).rejects.toMatchObject({
      reason: 'unsupported',
      field,
    });
    expect(shown(await read(series))).toEqual(shown(series));
  }
  const writes = harness.sandbox.requests.list().filter(({ method }) => method === 'PATCH').length;
  await expect(update(target, { eventType: 'focusTime' })).rejects.toMatchObject({ field: 'eventType' });
  expect(harness.sandbox.requests.list().filter(({ method }) => method === 'PATCH')).toHaveLength(writes);
});

test('the first slot of a series is brought back after an interruption too', async () => {
  let series = await create();
  series = await update(slot(series, FIRST), { isCancelled: true });
  const target = slot(series, FIRST);
  refuseSecondPatch(403, 'ErrorAccessDenied');
  await expect(update(target, { isCancelled: false })).rejects.toMatchObject({ reason: 'unavailable' });
  series = await update(target, { isCancelled: false });
  expect(shown(series)).toEqual({ recurrence: input.recurrence, slots: {} });
});

test('under a stale tag nothing is taken away', async () => {
  let series = await create({ recurrence: ['RRULE:FREQ=DAILY;COUNT=8', 'EXDATE:20260204T090000Z'] });
  series = await update(slot(series, FIRST + DAY_MS), { title: 'Special' });
  await expect(
    update(whole(series.master), { recurrence: input.recurrence ?? null }, 'W/"stale"'),
  ).rejects.toMatchObject({ reason: 'precondition-failed' });
  expect(await read(series)).toEqual(series);
});

test('what was not cancelled by the account is not brought back by it', async () => {
  let series = await create({ attendees: [{ email: BEN }] });
  const bens = await harness.session(BEN);
  const bensCalendar = await harness.primary(BEN);
  series = await update(slot(series, FIRST + DAY_MS), { isCancelled: true });
  const pull = harness.provider.events.pull(bens, bensCalendar, null);
  const copy = onlySeries((await collect(pull)).changes);
  expect(copy.exceptions).toEqual([expect.objectContaining({ isCancelled: true })]);
  await expect(
    harness.provider.events.update(bens, bensCalendar, slot(copy, FIRST + DAY_MS), { isCancelled: false }, {}),
  ).rejects.toMatchObject({ reason: 'not-organizer', field: 'isCancelled' });
  await harness.provider.events.delete(bens, bensCalendar, slot(copy, FIRST + 2 * DAY_MS), {});
  const now = onlySeries((await collect(harness.provider.events.pull(bens, bensCalendar, null))).changes);
  await expect(
    harness.provider.events.update(bens, bensCalendar, slot(now, FIRST + 2 * DAY_MS), { isCancelled: false }, {}),
  ).rejects.toMatchObject({ reason: 'not-organizer', field: 'isCancelled' });
});

test('a slot that is gone although the mirror shows it is not found', async () => {
  const series = await create();
  await update(slot(series, FIRST + DAY_MS), { isCancelled: true });
  await expect(update(slot(series, FIRST + DAY_MS), { title: 'x' })).rejects.toMatchObject({ reason: 'not-found' });
});
