import { google } from '@kalends/google';
import { microsoft } from '@kalends/microsoft';
import { KalendsError } from 'kalends';
import {
  type ImportItemState,
  type ImportRow,
  KeyringError,
  type Provider,
  StorageUnavailableError,
} from 'kalends/ports';
import { expect, it } from 'vitest';
import { type ImportRun, runImport } from '../../src/imports/run-import.ts';

const HOUR_MS = 3_600_000;
const ROW: ImportRow = {
  ...{ id: 'imp_1', applicationId: 'app_1', accountId: 'acc_1', calendarId: 'cal_1', state: 'applying' },
  ...{ isDryRun: false, frame: '', problems: [], errorCode: null, createdAt: 0, finishedAt: null },
};
const CALENDAR = {
  ...{ id: 'cal_1', timeZone: 'UTC', isPrimary: true, isShared: false, inviteEmail: '' },
  ...{ allowedOnlineMeetingProviders: [], defaultOnlineMeetingProvider: 'unknown' },
};
const LEASE = { name: 'import', epoch: 1 };

const unavailable = () =>
  new KalendsError('ProviderUnavailable', 'The provider is not available.', { retryAfterMs: 30_000 });
const noKeyring = () =>
  new KalendsError('InternalError', 'the keyring is unavailable', {
    ...{ status: 503, retryAfterMs: 5_000 },
    cause: new KeyringError('unavailable', 'sealed'),
  });
const noStorage = () => new StorageUnavailableError('The database cannot be reached', undefined);

/** An event as its file has it. */
const shownAs = (title: string) => ({
  ...{ id: title, title, etag: '"1"', isAllDay: false, attendees: [], eventType: 'default' },
  ...{ publicExtendedProperties: {}, privateExtendedProperties: {} },
  ...{
    start: { dateTime: '2026-03-02T09:00:00Z', timeZone: 'UTC' },
    end: { dateTime: '2026-03-02T10:00:00Z', timeZone: 'UTC' },
  },
});

interface Key {
  readonly requestId: string;
  readonly iCalUid?: string;
}

/** A provider with the events that imports have created, by their request ids. */
interface AtProvider {
  readonly provider: Pick<Provider, 'capabilities'>;
  readonly created: Map<string, string>;
}

/**
 * Looks at an import of three events whenever it is due, until it is over; `fails` tells what the provider answers, and `isCut` whether
 * the process ends before it notes what became of an event.
 */
async function play(
  fails: (title: string, now: number) => unknown,
  isCut = (_uid: string): boolean => false,
  { provider, created }: AtProvider = { provider: google(), created: new Map() },
) {
  let now = 0;
  let dueAt = 0;
  let isOver = false;
  const items = ['a', 'b', 'c'].map((uidKey) => ({
    ...{ uidKey, failures: 0, state: 'waiting' as ImportItemState, eventId: null as string | null, isBegun: false },
  }));
  const waiting = () =>
    items.filter(({ state }) => state === 'waiting').toSorted((one, other) => one.failures - other.failures);
  const find = (uidKey: string) => items.find((item) => item.uidKey === uidKey)!;
  const components = (uidKey: string) =>
    `BEGIN:VEVENT\r\nUID:${uidKey}\r\nSUMMARY:${uidKey}\r\nDTSTART:20260302T090000Z\r\nDTEND:20260302T100000Z\r\nEND:VEVENT\r\n`;
  const run = {
    clock: { now: () => now, sleep: () => Promise.reject(new Error('not in an import')) },
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    store: {
      nextItems: async () =>
        waiting().map(({ uidKey, failures, eventId, isBegun }) => ({
          ...{ uidKey, failures, components: components(uidKey), isTooLong: false, eventId, isBegun },
        })),
      async match(_: unknown, found: readonly { readonly uidKey: string; readonly eventId: string }[]) {
        for (const { uidKey, eventId } of found) find(uidKey).eventId = eventId;
      },
      async beginItem(_: unknown, uidKey: string) {
        find(uidKey).isBegun = true;
      },
      async failItem(_: unknown, uidKey: string) {
        find(uidKey).failures += 1;
      },
      async settleItem(_: unknown, uidKey: string, { state }: { readonly state: ImportItemState }) {
        if (isCut(uidKey)) throw noStorage();
        find(uidKey).state = state;
      },
      async change(_: unknown, { state, dueInMs }: { readonly state?: string; readonly dueInMs?: number }) {
        if (dueInMs !== undefined) dueAt = now + dueInMs;
        isOver = state === 'finished';
      },
    },
    events: {
      capabilities: async () => ({
        limits: provider.capabilities(CALENDAR),
        calendar: { timeZone: 'UTC' },
        email: 'ann@example.com',
      }),
      async findCreated(_caller: unknown, _account: unknown, _calendar: unknown, { requestId, iCalUid }: Key) {
        const error = fails(iCalUid ?? '', now);
        if (error !== undefined) throw error;
        const eventId = created.get(requestId);
        return eventId === undefined ? { kind: 'none' } : { kind: 'present', eventId };
      },
      async create(_caller: unknown, _account: unknown, _calendar: unknown, { title }: { title: string }, key: Key) {
        created.set(key.requestId, title);
        return { id: title, etag: '"1"' };
      },
      get: async (_caller: unknown, _account: unknown, _calendar: unknown, id: string) => shownAs(id),
      update: async (_caller: unknown, _account: unknown, _calendar: unknown, id: string) => shownAs(id),
    },
  } as unknown as ImportRun;
  const { signal } = new AbortController();
  for (let looks = 0; !isOver; looks += 1) {
    if (looks > 100_000) throw new Error('the import comes to no end');
    now = Math.max(now, dueAt);
    await runImport(run, ROW, LEASE, signal).catch(() => undefined);
  }
  return { states: Object.fromEntries(items.map(({ uidKey, state }) => [uidKey, state])), hours: now / HOUR_MS };
}

const ALL_CREATED = { a: 'created', b: 'created', c: 'created' };

it('an outage of the provider refuses no event', async () => {
  const { states, hours } = await play((_, now) => (now < 6 * HOUR_MS ? unavailable() : undefined));
  expect(states).toEqual(ALL_CREATED);
  expect(hours).toBeLessThan(7.1);
});

it.each([
  ['the keyring', noKeyring],
  ['the database', noStorage],
])('one of %s refuses none however long it is, and each look asks again as soon as the error says', async (_, error) => {
  const { states, hours } = await play((_title, now) => (now < 12 * HOUR_MS ? error() : undefined));
  expect(states).toEqual(ALL_CREATED);
  expect(hours).toBeLessThan(12.1);
});

it('an event that the provider fails at is refused within a day, and the others are created', async () => {
  const { states, hours } = await play((title) => (title === 'b' ? unavailable() : undefined));
  expect(states).toEqual({ ...ALL_CREATED, b: 'refused' });
  expect(hours).toBeGreaterThan(3);
  expect(hours).toBeLessThan(24);
});

it.each<[string, Pick<Provider, 'capabilities'>]>([
  ['keeps', google()],
  ['does not keep', microsoft()],
])('counts an event as created whose creation was the last that a process did, where the calendar %s its UID', async (_, provider) => {
  const place = { provider, created: new Map<string, string>() };
  const cut = new Set(['a', 'c']);
  const isCut = (uid: string) => cut.delete(uid);
  expect((await play(() => undefined, isCut, place)).states).toEqual(ALL_CREATED);
  expect(cut).toEqual(new Set());
});

it('counts the events of an earlier import as unchanged, also after a look that was cut short', async () => {
  const place = { provider: microsoft(), created: new Map<string, string>() };
  await play(() => undefined, undefined, place);
  const cut = new Set(['a', 'c']);
  const isCut = (uid: string) => cut.delete(uid);
  const { states } = await play(() => undefined, isCut, place);
  expect(states).toEqual({ a: 'unchanged', b: 'unchanged', c: 'unchanged' });
});
