import { manualClock } from '@kalends/conformance';
import { google } from '@kalends/google';
import { type CalendarRef, type OAuthProvider, ProviderError, type Telemetry } from 'kalends/ports';
import { observeProvider } from 'kalends/runtime';
import { expect, test } from 'vitest';

const EVENT_CALLS = ['get', 'findCreated', 'create', 'update', 'delete', 'respond'] as const;

/** A provider whose event methods answer alike, and the calls that are counted. */
function stage(answer: () => Promise<never[]>, others: object = {}) {
  const counted: unknown[] = [];
  const telemetry: Telemetry = {
    count: (_name, labels) => void counted.push(labels),
    observe: () => undefined,
  };
  const events = Object.fromEntries(EVENT_CALLS.map((name) => [name, answer]));
  const base = google();
  const provider: OAuthProvider = { ...base, events: { ...base.events, ...events, ...others } };
  return { counted, provider: observeProvider(provider, { providerType: 'G', telemetry, clock: manualClock() }) };
}

/** The method without its parameters: these answers need none. */
function callOf({ events }: { readonly events: object }, name: (typeof EVENT_CALLS)[number]): () => Promise<unknown> {
  return Reflect.get(events, name);
}

test.each(EVENT_CALLS)('events.%s is counted once, with its outcome', async (name) => {
  const { counted, provider } = stage(async () => []);
  await callOf(provider, name)();
  expect(counted).toEqual([{ provider: 'G', operation: `events.${name}`, outcome: 'ok' }]);
});

test('a failure is counted by its reason', async () => {
  const { counted, provider } = stage(() => Promise.reject(new ProviderError('not-found', 'no')));
  await expect(callOf(provider, 'findCreated')()).rejects.toMatchObject({ reason: 'not-found' });
  expect(counted).toEqual([{ provider: 'G', operation: 'events.findCreated', outcome: 'not-found' }]);
});

test('each page is counted once, and the end of the list is not', async () => {
  async function* listTags(failure?: Error) {
    yield [];
    yield [];
    if (failure !== undefined) throw failure;
  }
  const { counted, provider } = stage(async () => [], { listTags });
  const read = async (failure?: Error) => {
    counted.length = 0;
    for await (const _page of (provider.events as unknown as { listTags: typeof listTags }).listTags(failure));
  };
  const page = { provider: 'G', operation: 'events.listTags', outcome: 'ok' };
  await read();
  expect(counted).toEqual([page, page]);
  const failure = new ProviderError('unavailable', 'no');
  await expect(read(failure)).rejects.toBe(failure);
  expect(counted).toEqual([page, page, { ...page, outcome: 'unavailable' }]);
});

test('what calls no provider is not counted', () => {
  const { counted, provider } = stage(async () => []);
  expect(provider.authorization.coversCalendars(undefined)).toBe(true);
  expect([provider.name, provider.events.carriesAnswers]).toEqual(['google', true]);
  expect(counted).toEqual([]);
});

test('a provider may be frozen, and its parts of classes with private members', async () => {
  const base = google();
  class Events {
    readonly carriesAnswers = true;
    readonly #found: never[] = [];
    check() {
      return this.#found;
    }
    async findCreated() {
      return this.#found;
    }
  }
  class Provider {
    readonly name = 'mine';
    readonly mappingVersion = 1;
    readonly authorization = base.authorization;
    readonly calendars = Object.freeze({ ...base.calendars });
    readonly events = Object.freeze(new Events());
    readonly push = base.push;
    readonly #base = base;
    capabilities(calendar: CalendarRef) {
      return this.#base.capabilities(calendar);
    }
  }
  const provider = Object.freeze(new Provider()) as unknown as OAuthProvider;
  const telemetry: Telemetry = { count: () => undefined, observe: () => undefined };
  const observed = observeProvider(provider, { providerType: 'M', telemetry, clock: manualClock() });
  const { events, calendars } = observed;
  expect(calendars.exists).toBeTypeOf('function');
  expect((events as unknown as Events).check()).toEqual([]);
  expect(await callOf(observed, 'findCreated')()).toEqual([]);
  const calendar = { id: 'c', accessRole: 'OWNER' } as unknown as CalendarRef;
  expect(observed.capabilities(calendar)).toEqual(base.capabilities(calendar));
});
