import assert from 'node:assert/strict';
import type { ProviderEvent } from 'kalends/ports';
import { type HeldEvents, holdEvents, keyOf, shownEvent, shownEvents } from './held-events.ts';
import {
  DAY_MS,
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

/** The feed: a client that applies every change holds the result of a full pull. */
export function feedConformance(options: ProviderConformanceOptions): void {
  onStage(options, 'pull: of an empty calendar it is empty, and has a resume point', async (stage) => {
    const { held, token } = await holdEvents(stage, null);
    assert.equal(held.size, 0);
    assert.equal((await holdEvents(stage, token)).held.size, 0);
  });

  onStage(options, 'pull: what came, changed and went in between adds up to everything', async (stage) => {
    let { held, token } = await holdEvents(stage, null);
    for (const step of history(stage)) {
      await step();
      await stage.settle();
      ({ held, token } = await holdEvents(stage, token, held));
      const everything = await holdEvents(stage, null);
      assert.deepEqual(shownEvents(held), shownEvents(everything.held));
      await agreesWithGet(stage, held);
    }
  });

  onStage(options, 'pull: several changes at once add up too, and a resume point may be used again', async (stage) => {
    const { token } = await holdEvents(stage, null);
    for (const step of history(stage)) await step();
    await stage.settle();
    const everything = shownEvents((await holdEvents(stage, null)).held);
    for (let times = 0; times < 2; times += 1) {
      assert.deepEqual(shownEvents((await holdEvents(stage, token)).held), everything);
    }
  });

  onStage(options, 'pull: without changes there is nothing new', async (stage) => {
    await stage.create({});
    await stage.create(SERIES);
    const first = await holdEvents(stage, null);
    const before = shownEvents(first.held);
    const second = await holdEvents(stage, first.token, first.held);
    assert.deepEqual(shownEvents(second.held), before);
  });

  onStage(options, 'tags: list every single event and master, and change with the events', async (stage) => {
    const { provider, session, calendar } = stage;
    requirePart(provider.events.listTags, 'listTags');
    for (const step of history(stage)) {
      await step();
      await stage.settle();
      const tags = new Map<string, string | null>();
      for await (const page of provider.events.listTags(session, calendar)) {
        for (const { providerEventId, providerTag } of page) tags.set(providerEventId, providerTag);
      }
      const { held } = await holdEvents(stage, null);
      const own = [...held.values()].filter(({ seriesId }) => seriesId === null);
      assert.deepEqual(
        [...tags].sort(),
        own.map(({ providerEventId, providerTag }) => [providerEventId, providerTag]).sort(),
      );
    }
  });

  onStage(options, 'pull: a resume point that is none is sync-token-expired', async (stage) => {
    const { provider, session, calendar } = stage;
    const garbled = provider.events.pull(session, calendar, 'no resume point');
    await refusal(garbled[Symbol.asyncIterator]().next(), ['sync-token-expired']);
  });

  onStage(
    options,
    'pull: a dead resume point is sync-token-expired, and a pull of everything goes on',
    async (stage) => {
      requirePart(stage.expireFeeds, 'expireFeeds');
      const { provider, session, calendar } = stage;
      await stage.create({});
      const { held, token } = await holdEvents(stage, null);
      await stage.expireFeeds();
      await refusal(provider.events.pull(session, calendar, token)[Symbol.asyncIterator]().next(), [
        'sync-token-expired',
      ]);
      assert.deepEqual(shownEvents((await holdEvents(stage, null)).held), shownEvents(held));
    },
  );
}

/** Creates a series and single events, and changes them. */
function history(stage: ProviderStage): readonly (() => Promise<unknown>)[] {
  const { provider, session, calendar } = stage;
  const made = new Map<string, ProviderEvent>();
  const create = (name: string, recurrence?: readonly string[]) => async () => {
    made.set(name, await stage.create(recurrence === undefined ? { title: name } : { ...SERIES, recurrence }));
  };
  const get = (name: string): ProviderEvent => {
    const event = made.get(name);
    assert.ok(event !== undefined);
    return event;
  };
  return [
    create('one'),
    create('two'),
    create('series', ['RRULE:FREQ=DAILY;COUNT=6']),
    () => stage.update(get('one'), { title: 'changed' }),
    () => provider.events.update(session, calendar, slotOf(get('series'), NINE + DAY_MS), { title: 'special' }, {}),
    () => provider.events.delete(session, calendar, slotOf(get('series'), NINE + 2 * DAY_MS), {}),
    () => provider.events.delete(session, calendar, targetOf(get('two')), {}),
    create('other', ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3']),
    () => stage.update(get('series'), { location: 'moved', description: 'new' }),
    () => provider.events.delete(session, calendar, targetOf(get('other')), {}),
    () => provider.events.delete(session, calendar, slotOf(get('series'), NINE + DAY_MS), {}),
  ];
}

/** Checks that `get` returns each held event unchanged, with the exceptions of its series, whatever it is told of the id. */
async function agreesWithGet(stage: ProviderStage, held: HeldEvents): Promise<void> {
  const { provider, session, calendar } = stage;
  for (const event of held.values()) {
    if (event.seriesId !== null) continue;
    const [change] = await provider.events.get(session, calendar, event.providerEventId);
    for (const isSeries of [false, true]) {
      const told = await provider.events.get(session, calendar, event.providerEventId, { isSeries });
      assert.deepEqual(told, [change], 'a guess about the id changes no answer');
    }
    assert.ok(change?.kind === 'event' || change?.kind === 'series', 'what is held can be got');
    const found = change.kind === 'event' ? [change.event] : [change.master, ...change.exceptions];
    for (const part of found) assert.deepEqual(shownEvent(held.get(keyOf(part)) ?? part), shownEvent(part));
    const exceptions = [...held.values()].filter(({ seriesId }) => seriesId === event.providerEventId);
    assert.equal(found.length, 1 + exceptions.length, 'get shows every exception that is held');
  }
}
