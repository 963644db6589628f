import { manualClock, seededRandom } from '@kalends/conformance';
import { createTokenSealer, parseSecrets, zoneDataVersion } from 'kalends/runtime';
import { expect, test } from 'vitest';
import { createViewTokens } from '../../src/mirror/index.ts';

const SECRET = Buffer.alloc(32, 7).toString('base64');
const KEY = { applicationId: 'app', accountId: 'acc', calendarId: 'cal' };
const POINT = { query: null, at: { revision: 3, tag: 'tag' } };

const sealer = (purpose: string) => createTokenSealer(parseSecrets(SECRET), seededRandom(1), purpose);
const clock = manualClock();
const tokens = createViewTokens<null>({ sync: sealer('sync'), page: sealer('page'), clock, lifetimeMs: 60_000 });
const sealedUnder = (view: string) =>
  sealer('sync').seal({ place: ['app', 'acc', 'cal'], view, issuedAt: clock.now(), point: POINT });

test('a token names what its answer depends on: the expander and the tz data, not the mapping', () => {
  expect(tokens.openSync(KEY, tokens.sealSync(KEY, POINT))).toEqual(POINT);
  expect(tokens.openSync(KEY, sealedUnder(`1.${zoneDataVersion()}`))).toEqual(POINT);
});

test('a token that names a mapping too, as earlier ones do, is good under any', () => {
  for (const mapping of [1, 7, 12]) {
    expect(tokens.openSync(KEY, sealedUnder(`1.${mapping}.${zoneDataVersion()}`))).toEqual(POINT);
  }
});

test.each([
  '1.1999a',
  '1.7.1999a',
  `0.${zoneDataVersion()}`,
  `2.7.${zoneDataVersion()}`,
  '',
])('a token of the view %j is expired', (view) => {
  expect(() => tokens.openSync(KEY, sealedUnder(view))).toThrow(expect.objectContaining({ code: 'SyncTokenExpired' }));
});
