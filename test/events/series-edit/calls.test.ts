import { sqlite } from '@kalends/sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventsPath } from '../../interface/steps.ts';
import { createWorld, type ProviderName, type World } from '../../interface/world.ts';
import { type RecordedStorage, recordedStorage } from '../../storages/recorded-storage.ts';

const AT_NINE = { dateTime: '2026-04-06T09:00:00', timeZone: 'America/New_York' };
const AT_TEN = { dateTime: '2026-04-06T10:00:00', timeZone: 'America/New_York' };
const SERIES = { title: 'a', start: AT_NINE, end: AT_TEN, recurrence: ['RRULE:FREQ=WEEKLY;COUNT=20'] };

/** `following` on the fifth occurrence of a series without exceptions. */
interface Edit {
  readonly oldId: string;
  readonly newId: string;
  /** `METHOD events/ID?QUERY`, with the names of the query's parameters. */
  readonly requests: readonly string[];
  readonly stored: readonly string[];
}

let world: World;
let recorded: RecordedStorage;

beforeEach(async () => {
  recorded = recordedStorage(sqlite({ path: ':memory:' }));
  world = await createWorld({ storage: recorded.storage });
});
afterEach(() => world.close());

async function editFollowing(provider: ProviderName): Promise<Edit> {
  const place = await world.connect(provider);
  const { body: master } = await world.call('POST', eventsPath(place), { body: SERIES });
  world.sandbox.requests.clear();
  recorded.take();
  const path = `${eventsPath(place, `${master.id}_20260504T130000Z`)}?scope=following`;
  const { status, body } = await world.call('PUT', path, { body: { title: 'b' } });
  expect(status, JSON.stringify(body)).toBe(200);
  const stored = recorded.take();
  const requests = world.sandbox.requests.list().map(({ method, path: at, query }) => {
    const parameters = [...new URLSearchParams(query).keys()].join('&');
    const below = decodeURIComponent(at.slice(at.indexOf('/events') + 1));
    return `${method} ${below}${parameters === '' ? '' : `?${parameters}`}`;
  });
  return { oldId: master.id, newId: body.id, requests, stored };
}

const count = ({ stored }: Edit, method: string) => stored.filter((call) => call === method).length;

describe('a following edit of a plain series', () => {
  test('makes eight calls at Microsoft: each tells what no answer before it told', async () => {
    const { oldId, newId, requests } = await editFollowing('microsoft');
    expect(requests).toEqual([
      // The plan is made on the series as it is now.
      `GET events/${oldId}?$select&$expand`,
      // The new half gets from it what no field tells.
      `GET events/${oldId}?$select&$expand`,
      // A new event is looked for under its request id before each sending.
      'GET events?$filter&$select&$expand',
      'POST events',
      // The answer to a POST leaves out what is kept beside the event.
      `GET events/${newId}?$select&$expand`,
      // Kept properties are merged into what is there now, under its tag.
      `GET events/${oldId}?$select&$expand`,
      `PATCH events/${oldId}`,
      // PATCH answers without exceptions and deleted occurrences.
      `GET events/${oldId}?$select&$expand`,
    ]);
  });

  test('makes six calls at Google', async () => {
    const { oldId, requests } = await editFollowing('google');
    expect(requests).toEqual([
      `GET events/${oldId}`,
      'GET events?iCalUID&showDeleted&maxResults',
      // The new half gets from it what no field tells.
      `GET events/${oldId}`,
      'POST events?sendUpdates&conferenceDataVersion',
      `PATCH events/${oldId}?sendUpdates&conferenceDataVersion`,
      'GET events?iCalUID&showDeleted&maxResults',
    ]);
  });

  test.each(['google', 'microsoft'] as const)('reads the credential once at %s', async (provider) => {
    expect(count(await editFollowing(provider), 'accounts.findCredential')).toBe(1);
  });

  test('reads the state of the mirror for its second transaction only: the first is of what its intent holds', async () => {
    const edit = await editFollowing('microsoft');
    expect(count(edit, 'mirror.commit')).toBe(2);
    expect(count(edit, 'mirror.find')).toBe(1);
  });
});
