import { manualClock, seededRandom } from '@kalends/conformance';
import { createTokenSealer, parseSecrets, zoneDataVersion } from 'kalends/runtime';
import { expect, test } from 'vitest';
import { createViewTokens } from '../../src/mirror/index.ts';

const SECRET = Buffer.alloc(32, 7).toString('base64');
const DAY_MS = 86_400_000;
const KEY = { applicationId: 'app', accountId: 'acc', calendarId: 'cal' };
const POINT = { query: null, at: { revision: 3, tag: 'tag' } };

const sealer = (purpose: string) => createTokenSealer(parseSecrets(SECRET), seededRandom(1), purpose);
const clock = manualClock();
const tokens = createViewTokens<null>({ sync: sealer('sync'), page: sealer('page'), clock, lifetimeMs: 60_000 });
const sealedUnder = (view: string, { calendarId }: { readonly calendarId: string | null } = KEY) =>
  sealer('sync').seal({ place: ['app', 'acc', calendarId], view, issuedAt: clock.now(), point: POINT });
const LIST = { ...KEY, calendarId: null };

test('a token names what its answer depends on: the expander and the tz data, not the mapping', () => {
  expect(tokens.openSync(KEY, tokens.sealSync(KEY, POINT))).toEqual(POINT);
  expect(tokens.openSync(KEY, sealedUnder(`2.${zoneDataVersion()}`))).toEqual(POINT);
});

test('a token of a calendar list that names a mapping too, as earlier ones do, is good under any', () => {
  for (const mapping of [1, 7, 12]) {
    expect(tokens.openSync(LIST, sealedUnder(`1.${mapping}.${zoneDataVersion()}`, LIST))).toEqual(POINT);
  }
});

test('a token of events of 0.1.0 is expired: the same rows give other answers since', () => {
  for (const view of [`1.${zoneDataVersion()}`, `1.7.${zoneDataVersion()}`]) {
    expect(() => tokens.openSync(KEY, sealedUnder(view))).toThrow(
      expect.objectContaining({ code: 'SyncTokenExpired' }),
    );
  }
});

test.each([
  '2.1999a',
  '2.7.1999a',
  `0.${zoneDataVersion()}`,
  `3.${zoneDataVersion()}`,
  '',
])('a token of the view %j is expired', (view) => {
  expect(() => tokens.openSync(KEY, sealedUnder(view))).toThrow(expect.objectContaining({ code: 'SyncTokenExpired' }));
});

test.each([
  ['four weeks', 28 * DAY_MS, DAY_MS],
  ['six hours', DAY_MS / 4, DAY_MS / 8],
  ['a minute', 60_000, 30_000],
])('with a lifetime of %s, no tag outlives the token of its page', async (_, lifetimeMs, changedBy) => {
  const clock = manualClock(Date.UTC(2026, 2, 2, 0, 0, 1));
  const { sealSync, openSync, etagOf } = createViewTokens<null>({
    ...{ sync: sealer('sync'), page: sealer('page') },
    ...{ clock, lifetimeMs },
  });
  const page = { ...POINT, position: null, limit: 10 };
  const [token, etag] = [sealSync(KEY, POINT), etagOf(KEY, page)];
  await clock.advance(100);
  expect(etagOf(KEY, page)).toBe(etag);
  await clock.advance(changedBy - 100);
  expect(etagOf(KEY, page)).not.toBe(etag);
  expect(openSync(KEY, token)).toEqual(POINT);
});
