import type { EventPatch, Logger, NewEvent, ProviderEvents, RecurrenceId } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { carryExceptions } from '../../../src/events/series-edit/carried-exceptions.ts';
import { planFollowing } from '../../../src/events/series-edit/following-plan.ts';
import { createSeriesEditResumption } from '../../../src/events/series-edit/resume-series-edit.ts';
import { runSeriesEdit } from '../../../src/events/series-edit/run-series-edit.ts';
import { createSeriesCalls } from '../../../src/events/series-edit/series-calls.ts';
import { journalOf, type PlannedJournal, type SeriesEdit } from '../../../src/events/series-edit/series-journal.ts';
import { slotTable, snapshotOf } from '../../../src/events/series-edit/series-snapshot.ts';
import { planWhole } from '../../../src/events/series-edit/whole-plan.ts';
import type { WritePlace } from '../../../src/events/write/write-place.ts';
import { memoryIntent } from './memory-intent.ts';
import { createStage, type Stage, type StagedProvider, ZONE } from './stage.ts';

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };
const point = (date: string, time: string, offset = '-04:00') => ({
  dateTime: `${date}T${time}:00${offset}`,
  timeZone: ZONE,
});
const SERIES: NewEvent = {
  title: 'Planning',
  start: point('2026-04-06', '09:00'),
  end: point('2026-04-06', '10:00'),
  recurrence: ['RRULE:FREQ=WEEKLY;COUNT=8'],
};
const slot = (date: string): RecurrenceId => ({ kind: 'instant', startMs: Date.parse(`${date}T13:00:00Z`) });
const WINDOW = ['2026-03-01T00:00:00Z', '2026-08-01T00:00:00Z'] as const;

class Crash extends Error {}

let stage: Stage;
const closeStage = () => stage.close();

/** A series with a modified and a cancelled occurrence on both sides of 27 April. */
async function seed(): Promise<string> {
  const { provider, session, calendar } = stage;
  const master = await stage.create(SERIES);
  const id = master.providerEventId;
  const target = (date: string) =>
    ({
      kind: 'occurrence',
      seriesId: id,
      recurrenceId: slot(date),
      master,
      current: { ...master, providerEventId: '', providerTag: null, seriesId: id, recurrenceId: slot(date) },
    }) as const;
  const change = (date: string, patch: EventPatch) =>
    provider.events.update(session, calendar, target(date), patch, {});
  await change('2026-04-13', { title: 'Early' });
  await provider.events.delete(session, calendar, target('2026-04-20'), {});
  await change('2026-05-04', { title: 'Late', start: point('2026-05-04', '15:00'), end: point('2026-05-04', '17:00') });
  await provider.events.delete(session, calendar, target('2026-05-11'), {});
  return id;
}

async function splitEdit(id: string, patch: EventPatch | null): Promise<SeriesEdit> {
  const { provider, session, calendar } = stage;
  const before = snapshotOf(await provider.events.get(session, calendar, id), id)!;
  const withAnswers = provider.events.carriesAnswers === true;
  const plan = planFollowing(before, slot('2026-04-27'), patch, { calendarZone: ZONE, withAnswers });
  if (plan === 'all') throw new Error('the whole series is meant');
  const change = { kind: 'whole', patch: plan.trim } as const;
  return { seriesId: id, before, insert: plan.insert, change, keep: plan.keep, carry: plan.carry };
}

/** The provider's calls; `onCall` runs before and after each that writes, and may throw. */
function watched(events: ProviderEvents, onCall: (when: 'before' | 'after') => void): ProviderEvents {
  const around =
    <Args extends unknown[], Answer>(call: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      onCall('before');
      const answer = await call(...args);
      onCall('after');
      return answer;
    };
  return { ...events, create: around(events.create), update: around(events.update), delete: around(events.delete) };
}

function run(journal: PlannedJournal, isResumed: boolean, onMoment: () => void) {
  const { provider, session, calendar } = stage;
  const calls = createSeriesCalls(watched(provider.events, onMoment), session, calendar);
  const intent = memoryIntent(journal, { onRecord: onMoment, onRecorded: onMoment });
  return { intent, result: runSeriesEdit({ calls, intent: intent.held, journal, isResumed, logger: SILENT }) };
}

/** Dies at the n-th moment, and is resumed until it has ended. Resolves with whether it died. */
async function runWithCrash(edit: SeriesEdit, dieAt: number, end: 'done' | 'either' = 'done'): Promise<boolean> {
  let moments = 0;
  const first = run(journalOf(edit), false, () => {
    moments += 1;
    if (moments === dieAt) throw new Crash();
  });
  try {
    await first.result;
    expect(first.intent.ended()).toBeDefined();
    return false;
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
  }
  const again = run(first.intent.stored() as PlannedJournal, true, () => undefined);
  const { kind } = await again.result;
  if (end === 'done') expect(kind).toBe('done');
  expect(again.intent.ended()).toBeDefined();
  return true;
}

async function moveEdit(id: string): Promise<SeriesEdit> {
  const { before, options } = await groundOf(id);
  const plan = planWhole(
    before,
    undefined,
    { start: point('2026-04-06', '10:00'), end: point('2026-04-06', '11:00') },
    options,
  );
  if (plan === 'plain') throw new Error('nothing moves');
  const change = { kind: 'whole', patch: plan.patch } as const;
  return { seriesId: id, before, insert: null, change, keep: plan.keep, carry: [] };
}

async function reviveEdit(id: string): Promise<SeriesEdit> {
  const { before, options } = await groundOf(id);
  const { slotOf } = slotTable(before.master.content, ZONE);
  const addressed = { slot: slotOf(slot('2026-04-20')), patch: { isCancelled: false } };
  const keep = carryExceptions(before, before.master.content, { ...options, addressed });
  const change = { kind: 'revive', slot: slot('2026-04-20'), patch: { title: 'Back' } } as const;
  return { seriesId: id, before, insert: null, change, keep, carry: [] };
}

async function groundOf(id: string) {
  const { provider, session, calendar } = stage;
  const before = snapshotOf(await provider.events.get(session, calendar, id), id)!;
  return { before, options: { calendarZone: ZONE, withAnswers: provider.events.carriesAnswers === true } };
}

const MOVED = [
  '2026-04-06T14:00/2026-04-06T15:00 Planning',
  '2026-04-13T14:00/2026-04-13T15:00 Early',
  '2026-04-27T14:00/2026-04-27T15:00 Planning',
  '2026-05-04T19:00/2026-05-04T21:00 Late',
  '2026-05-18T14:00/2026-05-18T15:00 Planning',
  '2026-05-25T14:00/2026-05-25T15:00 Planning',
];

const REVIVED = [
  '2026-04-06T13:00/2026-04-06T14:00 Planning',
  '2026-04-13T13:00/2026-04-13T14:00 Early',
  '2026-04-20T13:00/2026-04-20T14:00 Back',
  '2026-04-27T13:00/2026-04-27T14:00 Planning',
  '2026-05-04T19:00/2026-05-04T21:00 Late',
  '2026-05-18T13:00/2026-05-18T14:00 Planning',
  '2026-05-25T13:00/2026-05-25T14:00 Planning',
];

const SPLIT_UP = [
  '2026-04-06T13:00/2026-04-06T14:00 Planning',
  '2026-04-13T13:00/2026-04-13T14:00 Early',
  '2026-04-27T13:00/2026-04-27T14:00 Changed',
  '2026-05-04T19:00/2026-05-04T21:00 Late',
  '2026-05-18T13:00/2026-05-18T14:00 Changed',
  '2026-05-25T13:00/2026-05-25T14:00 Changed',
];

describe.each(['google', 'microsoft'] as const satisfies readonly StagedProvider[])('%s', (name) => {
  beforeEach(async () => {
    stage = await createStage(name);
  });
  afterEach(closeStage);

  test('a split leaves the early half as it was and links the halves', async () => {
    const id = await seed();
    const { intent, result } = run(journalOf(await splitEdit(id, { title: 'Changed' })), false, () => undefined);
    const outcome = await result;
    if (outcome.kind !== 'done' || outcome.newId === null) throw new Error('no split');
    expect(await stage.shown(...WINDOW)).toEqual(SPLIT_UP);
    const [old, made] = intent.ended()!;
    expect(old).toMatchObject({
      master: { providerEventId: id, content: { privateExtendedProperties: { 'kalends.followedBy': outcome.newId } } },
    });
    expect(made).toMatchObject({
      exceptions: { length: 2 },
      master: { providerEventId: outcome.newId, content: { privateExtendedProperties: { 'kalends.follows': id } } },
    });
  });

  test('a crash at any moment of a split leaves no torn series and no duplicate', async () => {
    for (let dieAt = 1; ; dieAt += 1) {
      const id = await seed();
      const died = await runWithCrash(await splitEdit(id, { title: 'Changed' }), dieAt);
      expect(await stage.shown(...WINDOW), `moment ${dieAt}`).toEqual(SPLIT_UP);
      expect(await stage.masters(), `moment ${dieAt}`).toHaveLength(2);
      if (!died) {
        expect(dieAt).toBeGreaterThan(10);
        return;
      }
      await stage.close();
      stage = await createStage(name);
    }
  }, 300_000);

  test.each([
    'moved',
    'revived',
  ] as const)('a crash at any moment while it is %s leaves it as it was or as it was to be', async (kind) => {
    const wanted = kind === 'moved' ? MOVED : REVIVED;
    for (let dieAt = 1; ; dieAt += 1) {
      const id = await seed();
      const before = await stage.shown(...WINDOW);
      const died = await runWithCrash(kind === 'moved' ? await moveEdit(id) : await reviveEdit(id), dieAt, 'either');
      const now = await stage.shown(...WINDOW);
      expect([before, wanted], `moment ${dieAt}`).toContainEqual(now);
      if (!died) {
        expect(now).toEqual(wanted);
        return;
      }
      await stage.close();
      stage = await createStage(name);
    }
  }, 300_000);

  test('a series that was changed meanwhile is left alone, and the new half taken back', async () => {
    const { provider, session, calendar } = stage;
    const id = await seed();
    const edit = await splitEdit(id, { title: 'Changed' });
    const current = edit.before.master;
    const target = { kind: 'event', providerEventId: id, current } as const;
    await provider.events.update(session, calendar, target, { title: 'Faster' }, {});
    const { result } = run(journalOf(edit), false, () => undefined);
    expect(await result).toMatchObject({ kind: 'undone', error: { code: 'PreconditionFailed' } });
    expect(await stage.masters()).toEqual([id]);
    expect((await stage.shown(...WINDOW)).filter((row) => row.endsWith('Faster'))).toHaveLength(4);
  });

  test('a tag that moved without a change does not matter', async () => {
    const id = await seed();
    const edit = await splitEdit(id, { title: 'Changed' });
    const before = { ...edit.before, master: { ...edit.before.master, providerTag: '"stale"' } };
    const { result } = run(journalOf({ ...edit, before }), false, () => undefined);
    expect(await result).toMatchObject({ kind: 'done' });
    expect(await stage.shown(...WINDOW)).toEqual(SPLIT_UP);
  });

  test('an edit that another process goes on with mails those whom its request named', async () => {
    const { provider, session, calendar } = stage;
    const id = await seed();
    const journal = journalOf(await splitEdit(id, { title: 'Changed' }), 'all');
    const { held, stored } = memoryIntent(JSON.parse(JSON.stringify(journal)));
    const told: unknown[] = [];
    const { create, update } = provider.events;
    const events: ProviderEvents = {
      ...provider.events,
      create: (session, calendar, input, options) => {
        told.push(options.notifyAttendees);
        return create(session, calendar, input, options);
      },
      update: (session, calendar, target, patch, options) => {
        told.push(options.notifyAttendees);
        return update(session, calendar, target, patch, options);
      },
    };
    const account = { provider: { ...provider, events }, row: { id: 'acc' } } as unknown as WritePlace['account'];
    const key = { applicationId: 'app', accountId: 'acc', calendarId: calendar.id };
    await createSeriesEditResumption({ logger: SILENT })({ account, key, calendar, session }, held);
    expect(stored()).toMatchObject({ newId: expect.any(String) });
    expect(told.length).toBeGreaterThan(2);
    expect(new Set(told)).toEqual(new Set(['all']));
  });

  test('a deletion of what follows that was not sent is not sent later, and one that was is completed', async () => {
    const id = await seed();
    const whole = await stage.shown(...WINDOW);
    const edit = await splitEdit(id, null);
    const unsent = run(journalOf(edit), true, () => undefined);
    expect(await unsent.result).toMatchObject({ kind: 'undone' });
    expect(await stage.shown(...WINDOW)).toEqual(whole);
    const outcome = await run(journalOf(edit), false, () => undefined).result;
    expect(outcome).toMatchObject({ kind: 'done', newId: null });
    const resumed = await run(journalOf(edit), true, () => undefined).result;
    expect(resumed).toMatchObject({ kind: 'done', newId: null });
    expect(await stage.shown(...WINDOW)).toEqual(SPLIT_UP.slice(0, 2));
  });
});
