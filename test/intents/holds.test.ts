import { ProviderError } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeEvent, fakeException, newYork } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type Services, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';
import { gate } from '../regression/intercepted-world.ts';

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
  world.fake.put(CALENDAR, fakeEvent('a', { title: 'before' }));
  await titles();
});
afterEach(() => world.close());

const titles = async () =>
  (await world.events.list(CALLER, ACCOUNT, CALENDAR, {})).data.map((event) => 'title' in event && event.title).sort();
const pull = () => world.mirror.pull(world.account, CALENDAR);
const update = (title: string, engine: Services = world) =>
  engine.events.update(CALLER, ACCOUNT, CALENDAR, 'a', { title });
const create = (engine: Services = world, idempotencyKey?: string) =>
  engine.events.create(
    CALLER,
    ACCOUNT,
    CALENDAR,
    { title: 'new', start: { dateTime: '2026-03-05T09:00:00' } },
    idempotencyKey === undefined ? {} : { idempotencyKey },
  );
const revision = async () => (await world.storage.mirror.find(KEY))!.revision;

/** Runs a write whose answer arrives when `work` is done. */
async function whileOpen(call: string, write: () => Promise<unknown>, work: () => Promise<unknown>) {
  const { switches } = world.fake;
  const [heard, answered] = [gate(), gate()];
  switches.beforeAnswer = async (name) => {
    if (name !== call) return;
    switches.beforeAnswer = undefined;
    heard.open();
    await answered.opened;
  };
  const writing = write();
  await heard.opened;
  await work();
  answered.open();
  return await writing;
}

/** The process dies in the midst of a write: the provider has done it, and the answer is lost. */
async function dieDuring(call: string, write: () => Promise<unknown>): Promise<void> {
  const heard = gate();
  world.fake.switches.beforeAnswer = async (name) => {
    if (name !== call) return;
    world.fake.switches.beforeAnswer = undefined;
    heard.open();
    await new Promise<never>(() => undefined);
  };
  void write();
  await heard.opened;
}

/** Lets the lease of the dead process end. */
async function outliveLease(): Promise<void> {
  const { intents } = world.storage;
  const { renew } = intents;
  Object.assign(intents, { renew: async () => false });
  await world.clock.advance(31_000);
  Object.assign(intents, { renew });
}

const isAnythingOpen = async () => (await world.storage.intents.nextAbandonedAt()) !== null;

describe('while our write is under way', () => {
  test('a page fetched before our PUT and committed while the intent is open does not show, nor overwrite it', async () => {
    await whileOpen(
      'events.update',
      () => update('ours'),
      async () => {
        world.fake.put(CALENDAR, fakeEvent('a', { title: 'of the time before' }));
        const at = await revision();
        await pull();
        expect(await revision()).toBe(at);
        // The provider's state when the intent ends.
        world.fake.put(CALENDAR, fakeEvent('a', { title: 'ours' }));
      },
    );
    expect(await titles()).toEqual(['ours']);
  });

  test('the answer shows our write, and what came after it follows', async () => {
    const answer = await whileOpen(
      'events.update',
      () => update('ours'),
      async () => {
        world.fake.put(CALENDAR, fakeEvent('a', { title: 'theirs, later' }));
        await pull();
      },
    );
    expect(answer).toMatchObject({ title: 'ours' });
    expect(await titles()).toEqual(['theirs, later']);
  });

  test('a full sweep does not delete what our POST is creating', async () => {
    world.fake.expireTokens();
    await whileOpen('events.create', create, pull);
    expect(await titles()).toEqual(['before', 'new']);
    world.fake.expireTokens();
    await pull();
    expect(await titles()).toEqual(['before', 'new']);
  });

  test('a full sweep does not delete a series that we write to, nor its exceptions', async () => {
    const series = { ...newYork('2026-03-02', '09:00', '10:00'), recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] };
    world.fake.put(CALENDAR, fakeEvent('s', series));
    world.fake.put(CALENDAR, fakeException('s_x', 's', { kind: 'instant', startMs: Date.UTC(2026, 2, 3, 14) }));
    await pull();
    const before = await titles();
    world.fake.expireTokens();
    await whileOpen(
      'events.update',
      () => world.events.update(CALLER, ACCOUNT, CALENDAR, 's_20260304T140000Z', { title: 'third' }),
      async () => {
        world.fake.switches.hidden.add('s');
        await pull();
        world.fake.switches.hidden.clear();
      },
    );
    expect(await titles()).toEqual([...before, 'third'].sort());
  });

  test('another process waits for its group, and writes to what it has left', async () => {
    const peer = world.peer();
    let second: Promise<unknown> = Promise.resolve();
    await whileOpen(
      'events.update',
      () => update('first'),
      async () => {
        second = update('second', peer);
        for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
        expect(world.fake.calls.filter((call) => call === 'events.update')).toHaveLength(1);
      },
    );
    await world.clock.advance(1_000);
    expect(await second).toMatchObject({ title: 'second' });
    expect(await titles()).toEqual(['second']);
  });

  test('other groups are written to and pulled all the while', async () => {
    world.fake.put(CALENDAR, fakeEvent('b', { title: 'b' }));
    await pull();
    await whileOpen(
      'events.update',
      () => update('ours'),
      async () => {
        await world.events.update(CALLER, ACCOUNT, CALENDAR, 'b', { title: 'b2' });
        world.fake.put(CALENDAR, fakeEvent('c', { title: 'c' }));
        await pull();
        expect(await titles()).toEqual(['b2', 'before', 'c']);
      },
    );
  });
});

describe('when its process died', () => {
  test('the next write first settles it, at once when its lease has ended', async () => {
    await dieDuring('events.update', () => update('of the dead'));
    expect(await titles()).toEqual(['before']);
    await outliveLease();
    const peer = world.peer();
    const title = 'of the living';
    expect(await update(title, peer)).toMatchObject({ title });
    expect(world.fake.calls.filter((call) => call === 'events.update')).toHaveLength(2);
    expect(await isAnythingOpen()).toBe(false);
  });

  test('a condition on the time before does not hold any more', async () => {
    const { etag: ifMatch } = await world.events.get(CALLER, ACCOUNT, CALENDAR, 'a');
    await dieDuring('events.update', () => update('of the dead'));
    await outliveLease();
    const late = world.peer().events.update(CALLER, ACCOUNT, CALENDAR, 'a', { title: 'late' }, { ifMatch });
    await expect(late).rejects.toMatchObject({ code: 'PreconditionFailed' });
    expect(await titles()).toEqual(['of the dead']);
  });

  test('the sweeper reads, mirrors and sends nothing, whatever changed at the provider meanwhile', async () => {
    await dieDuring('events.update', () => update('of the dead'));
    world.fake.put(CALENDAR, fakeEvent('a', { title: 'theirs, meanwhile' }));
    await outliveLease();
    await sweep(world.peer());
    expect(world.fake.calls.filter((call) => call === 'events.update')).toHaveLength(1);
    expect(world.fake.events(CALENDAR).get('a')?.content?.title).toBe('theirs, meanwhile');
    expect(await titles()).toEqual(['theirs, meanwhile']);
  });

  test('a key meets the event that was made without an answer', async () => {
    await dieDuring('events.create', () => create(world, 'key'));
    await outliveLease();
    const event = await create(world.peer(), 'key');
    expect(event).toMatchObject({ title: 'new' });
    expect(await titles()).toEqual(['before', 'new']);
  });

  test('what the sweeper has found is the answer to its key, without another request', async () => {
    await dieDuring('events.create', () => create(world, 'key'));
    await outliveLease();
    await sweep(world.peer());
    const asked = world.fake.calls.filter((call) => call === 'events.create').length;
    expect(await create(world.peer(), 'key')).toMatchObject({ title: 'new' });
    expect(world.fake.calls.filter((call) => call === 'events.create')).toHaveLength(asked);
  });

  test('a create that the sweeper did not find is sent under the same request id when its key comes again', async () => {
    world.fake.switches.fail = (call) =>
      call === 'events.create' ? new ProviderError('timeout', 'no answer') : undefined;
    await expect(create(world, 'key')).rejects.toMatchObject({ code: 'ProviderTimeout' });
    world.fake.switches.fail = undefined;
    const requestId = world.fake.requestIds.at(-1);
    await world.clock.advance(2_000);
    await sweep(world.peer());
    expect(await titles()).toEqual(['before']);
    await create(world.peer(), 'key');
    expect(world.fake.requestIds.at(-1)).toBe(requestId);
    expect(await titles()).toEqual(['before', 'new']);
  });

  test('a create in parts that its key brings back is kept from pulls until it is complete', async () => {
    const createInParts = (engine: Services) =>
      engine.events.create(
        CALLER,
        ACCOUNT,
        CALENDAR,
        {
          title: 'new',
          start: { dateTime: '2026-03-05T09:00:00' },
          recurrence: ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:20260306T140000Z'],
        },
        { idempotencyKey: 'key' },
      );
    world.fake.switches.fail = (call) =>
      call === 'events.create' ? new ProviderError('timeout', 'no answer') : undefined;
    await expect(createInParts(world)).rejects.toMatchObject({ code: 'ProviderTimeout' });
    world.fake.switches.fail = undefined;
    await world.clock.advance(2_000);
    await sweep(world.peer());
    expect(await isAnythingOpen()).toBe(false);
    await whileOpen(
      'events.create',
      () => createInParts(world.peer()),
      async () => {
        await pull();
        expect(await titles()).toEqual(['before']);
      },
    );
    expect(await titles()).toContain('new');
  });

  test('who stood still for longer than the lease cannot mirror any more, and is told so', async () => {
    const late = whileOpen(
      'events.update',
      () => update('of the sleeper'),
      async () => {
        await outliveLease();
        world.fake.put(CALENDAR, fakeEvent('a', { title: 'theirs, later' }));
        await sweep(world.peer());
      },
    );
    await expect(late).rejects.toMatchObject({ code: 'Conflict' });
    expect(await titles()).toEqual(['theirs, later']);
  });

  test('what cannot be asked is asked again later, and holds on until then', async () => {
    await dieDuring('events.update', () => update('of the dead'));
    await outliveLease();
    world.fake.switches.fail = (call) => (call === 'events.get' ? new ProviderError('unavailable', 'down') : undefined);
    const peer = world.peer();
    await expect(update('x', peer)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    await sweep(peer);
    expect(await isAnythingOpen()).toBe(true);
    world.fake.switches.fail = undefined;
    await world.clock.advance(30_000);
    await sweep(peer);
    expect(await isAnythingOpen()).toBe(false);
    expect(await titles()).toEqual(['of the dead']);
  });
});

/** Lets a process settle what is due now. */
async function sweep({ settleIntents }: Services): Promise<void> {
  const ending = new AbortController();
  const running = settleIntents(ending.signal);
  for (let turn = 0; turn < 300; turn++) await new Promise((resolve) => setImmediate(resolve));
  ending.abort();
  await running;
}
