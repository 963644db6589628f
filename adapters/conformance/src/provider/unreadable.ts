import assert from 'node:assert/strict';
import { type EventChange, separateUnreadable, type UnreadableObject } from 'kalends/ports';
import { applyChanges, type HeldEvents, holdEvents, shownEvents } from './held-events.ts';
import {
  DAY_MS,
  eventOf,
  exceptionsOf,
  MEETING,
  NINE,
  newRequestId,
  onStage,
  type ProviderConformanceOptions,
  type ProviderStage,
  requirePart,
  SERIES,
  slotOf,
} from './world.ts';

/** Objects that cannot be read: set aside one by one, and read again once they can be. */
export function unreadableConformance(options: ProviderConformanceOptions): void {
  onStage(
    options,
    'unreadable: an object costs no other, in a pull of everything and in one of changes',
    async (stage) => {
      requirePart(stage.corrupt, 'corrupt');
      const { token } = await holdEvents(stage, null);
      const odd = await stage.create({ title: 'odd' });
      for (const title of ['one', 'two']) await stage.create({ title });
      await stage.create(SERIES);
      const wanted = shownEvents(await stage.pull());
      const { [odd.providerEventId]: _, ...others } = wanted;
      await whileCorrupt(stage, odd.providerEventId, async () => {
        for (const from of [null, token]) {
          const { unreadable, readable } = await pulled(stage, from);
          const ids = new Set(unreadable.map(({ providerEventId }) => providerEventId));
          assert.deepEqual([...ids], [odd.providerEventId]);
          assert.deepEqual(shownEvents(readable), others, 'the others are as they were');
        }
      });
      assert.deepEqual(shownEvents(await stage.pull()), wanted);
    },
  );

  onStage(
    options,
    'unreadable: get returns the object as unreadable, with a reason and without its value',
    async (stage) => {
      requirePart(stage.corrupt, 'corrupt');
      const odd = await stage.create({ title: 'Confidential' });
      const { provider, session, calendar } = stage;
      await whileCorrupt(stage, odd.providerEventId, async () => {
        const [change, ...rest] = await provider.events.get(session, calendar, odd.providerEventId);
        assert.deepEqual(rest, []);
        assert.ok(change?.kind === 'unreadable', 'the object is unreadable');
        assert.equal(change.providerEventId, odd.providerEventId);
        assert.match(change.reason, /\S/);
        assert.doesNotMatch(change.reason, /Confidential/);
      });
      assert.equal((await stage.read(odd)).content?.title, 'Confidential');
    },
  );

  onStage(options, 'unreadable: findCreated returns the object as unreadable', async (stage) => {
    requirePart(stage.corrupt, 'corrupt');
    const { provider, session, calendar } = stage;
    const requestId = newRequestId();
    const odd = eventOf(await provider.events.create(session, calendar, MEETING, { requestId }));
    await stage.settle();
    await whileCorrupt(stage, odd.providerEventId, async () => {
      const [change, ...rest] = await provider.events.findCreated(session, calendar, requestId);
      assert.deepEqual(rest, []);
      assert.ok(change?.kind === 'unreadable', 'the object is unreadable');
      assert.equal(change.providerEventId, odd.providerEventId);
    });
  });

  onStage(options, 'unreadable: an exception costs no other of its series', async (stage) => {
    requirePart(stage.corrupt, 'corrupt');
    const { provider, session, calendar } = stage;
    const master = await stage.create(SERIES);
    for (const day of [1, 2]) {
      await provider.events.update(session, calendar, slotOf(master, NINE + day * DAY_MS), { title: `day ${day}` }, {});
    }
    await stage.settle();
    const before = await provider.events.get(session, calendar, master.providerEventId);
    const [odd, other] = exceptionsOf(before);
    assert.ok(odd !== undefined && other !== undefined);
    await whileCorrupt(stage, odd.providerEventId, async () => {
      const [series] = await provider.events.get(session, calendar, master.providerEventId);
      assert.ok(series?.kind === 'series', 'the series can be read');
      assert.deepEqual(
        series.exceptions.map(({ content }) => content?.title),
        [other.content?.title],
      );
      assert.deepEqual(
        series.unreadable?.map(({ providerEventId, seriesId }) => [providerEventId, seriesId]),
        [[odd.providerEventId, master.providerEventId]],
      );
    });
    assert.deepEqual(await provider.events.get(session, calendar, master.providerEventId), before);
  });
}

/** Does this while one object cannot be read. A corruption that met nothing is told in place of what it made fail. */
async function whileCorrupt(stage: ProviderStage, providerEventId: string, run: () => Promise<void>): Promise<void> {
  const restore = await stage.corrupt?.(providerEventId);
  try {
    await run();
  } finally {
    await restore?.();
  }
}

type Readable = Exclude<EventChange, UnreadableObject>;

/** Returns what a pull shows: objects that cannot be read, and the state of all others. */
async function pulled(stage: ProviderStage, from: string | null) {
  const { provider, session, calendar } = stage;
  const found: EventChange[] = [];
  for await (const { changes } of provider.events.pull(session, calendar, from)) {
    for (const change of changes) {
      if (change.kind === 'reread')
        found.push(...(await provider.events.get(session, calendar, change.providerEventId)));
      else found.push(change);
    }
  }
  const { readable, unreadable } = separateUnreadable<Readable>(found);
  const held: HeldEvents = new Map();
  await applyChanges(stage, held, readable);
  return { unreadable, readable: held };
}
