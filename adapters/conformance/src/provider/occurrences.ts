import assert from 'node:assert/strict';
import {
  type EventChange,
  type EventContent,
  type EventPatch,
  type EventTarget,
  type ProviderEvent,
  shownContent,
} from 'kalends/ports';
import { formatInstant } from 'kalends/zones';
import { everything } from './fields.ts';
import { applyChanges, type HeldEvents, shownEvents } from './held-events.ts';
import {
  DAY_MS,
  eventOf,
  exceptionsOf,
  exceptionTarget,
  HOUR_MS,
  NINE,
  onStage,
  type ProviderConformanceOptions,
  type ProviderStage,
  refusal,
  requirePart,
  SERIES,
  slotOf,
  targetOf,
} from './world.ts';

/** One slot of a series: changed, moved, cancelled, restored. */
export function occurrenceConformance(options: ProviderConformanceOptions): void {
  onStage(
    options,
    'occurrences: one is changed, the others stay, and the answer is the whole series',
    async (stage) => {
      const series = await stage.create(SERIES);
      const first = await write(stage, slotOf(series, NINE + 2 * DAY_MS), { title: 'Special', location: 'Elsewhere' });
      assert.equal(eventOf(first).content?.title, SERIES.title);
      const [exception, ...others] = exceptionsOf(first);
      assert.ok(exception !== undefined && others.length === 0);
      assert.deepEqual(exception.recurrenceId, { kind: 'instant', startMs: NINE + 2 * DAY_MS });
      assert.equal(exception.seriesId, series.providerEventId);
      assert.equal(exception.content?.title, 'Special');
      assert.equal(exception.content?.location, 'Elsewhere');
      assert.equal(exception.content?.recurrence, null);
      assert.equal(Date.parse(exception.content?.start.dateTime ?? ''), NINE + 2 * DAY_MS);
      await holdsWhatWasAnswered(stage, first);
      const again = await write(stage, exceptionTarget(eventOf(first), exception), { title: 'Again' });
      assert.deepEqual(titles(again), ['Again']);
      const two = await write(stage, slotOf(eventOf(again), NINE + DAY_MS), { title: 'Second' });
      assert.deepEqual(titles(two), ['Again', 'Second']);
      await holdsWhatWasAnswered(stage, two);
    },
  );

  onStage(options, 'occurrences: a changed one shows the rest as its series does', async (stage) => {
    const { recurrence: _recurrence, ...fields } = everything(stage.capabilities);
    const series = await stage.create({ ...SERIES, ...fields });
    const changes = await write(stage, slotOf(series, NINE + DAY_MS), { location: 'Elsewhere' });
    const [{ content } = series] = exceptionsOf(changes);
    assert.equal(content?.location, 'Elsewhere');
    for (const field of Object.keys(fields) as (keyof typeof fields & keyof EventContent)[])
      if (field !== 'location') assert.deepEqual(content[field], series.content?.[field], field);
    await holdsWhatWasAnswered(stage, changes);
  });

  onStage(options, 'occurrences: one is moved within its day, and keeps its original start', async (stage) => {
    const series = await stage.create(SERIES);
    const at = NINE + 2 * DAY_MS;
    const changes = await write(stage, slotOf(series, at), hourAt(at + 5 * HOUR_MS));
    const [exception] = exceptionsOf(changes);
    assert.deepEqual(exception?.recurrenceId, { kind: 'instant', startMs: at });
    assert.equal(Date.parse(exception?.content?.start.dateTime ?? ''), at + 5 * HOUR_MS);
    assert.equal(Date.parse(exception?.content?.end.dateTime ?? ''), at + 6 * HOUR_MS);
    await holdsWhatWasAnswered(stage, changes);
  });

  onStage(options, 'occurrences: one is moved past its neighbour, or that is refused', async (stage) => {
    const { provider, session, calendar, capabilities } = stage;
    const series = await stage.create(SERIES);
    const target = slotOf(series, NINE + DAY_MS);
    const call = provider.events.update(session, calendar, target, hourAt(NINE + 3 * DAY_MS + HOUR_MS), {});
    if (!capabilities.occurrences.crossesNeighbours) {
      await refusal(call, ['unsupported'], 'start');
      return;
    }
    const [exception] = exceptionsOf(await call);
    assert.deepEqual(exception?.recurrenceId, { kind: 'instant', startMs: NINE + DAY_MS });
  });

  onStage(options, 'occurrences: one has a visibility of its own, or that is refused', async (stage) => {
    const { provider, session, calendar, capabilities } = stage;
    const visibility = capabilities.visibilities.find((each) => each !== 'default');
    requirePart(visibility, 'a visibility beside the default');
    const series = await stage.create(SERIES);
    const target = slotOf(series, NINE + DAY_MS);
    const call = provider.events.update(session, calendar, target, { visibility }, {});
    if (!capabilities.occurrences.ownVisibility) {
      await refusal(call, ['unsupported'], 'visibility');
      assert.equal((await stage.pull()).size, 1);
      return;
    }
    const changes = await call;
    await stage.settle();
    assert.equal(exceptionsOf(changes)[0]?.content?.visibility, visibility);
    assert.equal(eventOf(changes).content?.visibility, 'default');
    await holdsWhatWasAnswered(stage, changes);
  });

  onStage(options, 'occurrences: one is cancelled, once or again', async (stage) => {
    const { provider, session, calendar } = stage;
    const series = await stage.create(SERIES);
    const target = slotOf(series, NINE + DAY_MS);
    for (let times = 0; times < 2; times += 1) {
      const changes = await provider.events.delete(session, calendar, target, {});
      await stage.settle();
      const [cancelled, ...others] = exceptionsOf(changes);
      assert.equal(others.length, 0);
      assert.equal(cancelled?.isCancelled, true);
      assert.deepEqual(cancelled?.recurrenceId, { kind: 'instant', startMs: NINE + DAY_MS });
      await holdsWhatWasAnswered(stage, changes);
    }
  });

  onStage(options, 'occurrences: a changed one can be cancelled', async (stage) => {
    const { provider, session, calendar } = stage;
    const series = await stage.create(SERIES);
    const changed = await write(stage, slotOf(series, NINE + DAY_MS), { title: 'Special' });
    const [exception] = exceptionsOf(changed);
    assert.ok(exception !== undefined);
    const changes = await provider.events.delete(session, calendar, exceptionTarget(eventOf(changed), exception), {});
    await stage.settle();
    assert.deepEqual(
      exceptionsOf(changes).map(({ isCancelled }) => isCancelled),
      [true],
    );
    await holdsWhatWasAnswered(stage, changes);
  });

  onStage(options, 'occurrences: a cancelled one is brought back, or that is refused', async (stage) => {
    const { provider, session, calendar, capabilities } = stage;
    const series = await stage.create(SERIES);
    const cancelled = await provider.events.delete(session, calendar, slotOf(series, NINE + DAY_MS), {});
    await stage.settle();
    const [stub] = exceptionsOf(cancelled);
    assert.ok(stub !== undefined);
    const target = exceptionTarget(eventOf(cancelled), stub);
    const call = provider.events.update(session, calendar, target, { isCancelled: false, title: 'Back' }, {});
    if (!capabilities.occurrences.restorable) {
      await refusal(call, ['unsupported'], 'isCancelled');
      return;
    }
    const changes = await call;
    await stage.settle();
    const held = await holdsWhatWasAnswered(stage, changes);
    const shown = [...held.values()].filter(({ content }) => content?.title === 'Back');
    assert.deepEqual(
      shown.map(({ content }) => Date.parse(content?.start.dateTime ?? '')),
      [NINE + DAY_MS],
    );
  });

  onStage(
    options,
    'occurrences: a rule of its own is refused, and so is a slot that the series does not have',
    async (stage) => {
      const { provider, session, calendar } = stage;
      const series = await stage.create(SERIES);
      const slot = slotOf(series, NINE + DAY_MS);
      const ruled = provider.events.update(session, calendar, slot, { recurrence: ['RRULE:FREQ=DAILY'] }, {});
      await refusal(ruled, ['unsupported', 'invalid'], 'recurrence');
      const nowhere = provider.events.update(session, calendar, slotOf(series, NINE + 9 * DAY_MS), { title: 'x' }, {});
      await refusal(nowhere, ['not-found']);
    },
  );

  onStage(options, 'occurrences: one that is told what it is already does not become an exception', async (stage) => {
    const series = await stage.create(SERIES);
    const slot = slotOf(series, NINE + DAY_MS);
    const { title = '' } = SERIES;
    const changes = await write(stage, slot, { title, ...hourAt(NINE + DAY_MS, 'Europe/London') });
    assert.deepEqual(exceptionsOf(changes), []);
    await holdsWhatWasAnswered(stage, changes);
  });

  onStage(options, 'occurrences: under a tag of the series that does not hold nothing happens', async (stage) => {
    const { provider, session, calendar } = stage;
    const before = await stage.create(SERIES);
    await stage.update(before, { title: 'Theirs' });
    const slot = slotOf(before, NINE + DAY_MS);
    const stale = { ifMatch: before.providerTag ?? '' };
    const update = provider.events.update(session, calendar, slot, { title: 'Mine' }, stale);
    await refusal(update, ['precondition-failed']);
    await refusal(provider.events.delete(session, calendar, slot, stale), ['precondition-failed']);
    assert.equal((await stage.pull()).size, 1);
  });

  onStage(options, 'occurrences: under the present tag they are changed, then under their own', async (stage) => {
    const { provider, session, calendar } = stage;
    const series = await stage.read(await stage.create(SERIES));
    const slot = slotOf(series, NINE + DAY_MS);
    const ifMatch = series.providerTag ?? '';
    const changes = await provider.events.update(session, calendar, slot, { title: 'One' }, { ifMatch });
    await stage.settle();
    assert.deepEqual(titles(changes), ['One']);
    const exception = [...(await stage.pull()).values()].find(({ seriesId }) => seriesId !== null);
    assert.ok(exception?.providerTag != null, 'an exception has a tag');
    const target = exceptionTarget(eventOf(changes), exception);
    await provider.events.update(session, calendar, target, { title: 'Two' }, { ifMatch: exception.providerTag });
    await stage.settle();
    const stale = provider.events.update(session, calendar, target, { title: 'x' }, { ifMatch: exception.providerTag });
    await refusal(stale, ['precondition-failed']);
  });

  onStage(options, 'occurrences: they go with their series', async (stage) => {
    const { provider, session, calendar } = stage;
    const series = await stage.create(SERIES);
    await write(stage, slotOf(series, NINE + DAY_MS), { title: 'Special' });
    await provider.events.delete(session, calendar, slotOf(series, NINE + 2 * DAY_MS), {});
    await provider.events.delete(session, calendar, targetOf(series), {});
    await stage.settle();
    assert.equal((await stage.pull()).size, 0);
  });

  onStage(options, 'occurrences: a change of the series leaves a changed one in its slot', async (stage) => {
    const series = await stage.create(SERIES);
    const changed = await write(stage, slotOf(series, NINE + DAY_MS), { title: 'Special' });
    const after = await stage.update(eventOf(changed), { location: 'New' });
    assert.equal(after.content?.location, 'New');
    const exception = [...(await stage.pull()).values()].find(({ seriesId }) => seriesId !== null);
    assert.equal(exception?.content?.title, 'Special');
    assert.deepEqual(exception?.recurrenceId, { kind: 'instant', startMs: NINE + DAY_MS });
  });

  onStage(
    options,
    'occurrences: a changed one overrides what was written to it alone, keys of maps apart',
    async (stage) => {
      const properties = { base: 'base', gone: 'base' };
      const maps = { publicExtendedProperties: properties, privateExtendedProperties: properties };
      const series = await stage.create({ ...SERIES, ...maps });
      const own: EventPatch = { publicExtendedProperties: { mine: 'own' }, privateExtendedProperties: { base: 'own' } };
      const changed = await write(stage, slotOf(series, NINE + DAY_MS), { customColor: '#111111', ...own });
      await stage.update(eventOf(changed), {
        customColor: '#222222',
        publicExtendedProperties: { base: 'later', gone: null },
        privateExtendedProperties: { base: 'later', other: 'later' },
      });
      const pulled = [...(await stage.pull()).values()];
      const master = pulled.find(({ seriesId }) => seriesId === null)?.content;
      const exception = pulled.find(({ seriesId }) => seriesId !== null);
      assert.ok(master != null && exception !== undefined);
      const shown = shownContent(exception, master);
      assert.equal(shown?.customColor, '#111111');
      assert.deepEqual(shown.publicExtendedProperties, { base: 'later', mine: 'own' });
      assert.deepEqual(shown.privateExtendedProperties, { base: 'own', gone: 'base', other: 'later' });
    },
  );

  onStage(options, 'occurrences: a title moves no end where the clocks change', async (stage) => {
    const zone = 'Europe/London';
    const [first, hour] = [Date.UTC(2027, 2, 27, 1, 30), HOUR_MS];
    const point = (atMs: number) => ({ dateTime: formatInstant(zone, atMs), timeZone: zone });
    const times = { start: point(first), end: point(first + hour) };
    const series = await stage.create({ ...SERIES, ...times });
    // 01:30 does not exist on that day; it is shown as 02:30, the same instant.
    const changed = await write(stage, slotOf(series, first + DAY_MS), { title: 'Special' });
    const [exception] = exceptionsOf(changed);
    const { start, end } = exception?.content ?? {};
    assert.equal(Date.parse(start?.dateTime ?? ''), first + DAY_MS);
    assert.equal(Date.parse(end?.dateTime ?? ''), first + DAY_MS + hour);
  });
}

function hourAt(startMs: number, timeZone = 'UTC'): EventPatch {
  const point = (atMs: number) => ({
    dateTime: new Date(atMs).toISOString().replace('.000Z', '+00:00'),
    timeZone,
  });
  return { start: point(startMs), end: point(startMs + HOUR_MS) };
}

async function write(stage: ProviderStage, target: EventTarget, patch: EventPatch): Promise<readonly EventChange[]> {
  const changes = await stage.provider.events.update(stage.session, stage.calendar, target, patch, {});
  await stage.settle();
  return changes;
}

function titles(changes: readonly EventChange[]): readonly (string | undefined)[] {
  return exceptionsOf(changes)
    .map(({ content }: ProviderEvent) => content?.title)
    .sort();
}

/** Checks that a full pull shows the state of the answer. */
async function holdsWhatWasAnswered(stage: ProviderStage, changes: readonly EventChange[]): Promise<HeldEvents> {
  const answered: HeldEvents = new Map();
  await applyChanges(stage, answered, changes);
  const pulled = await stage.pull();
  assert.deepEqual(shownEvents(pulled), shownEvents(answered));
  return pulled;
}
