import { expect, test } from 'vitest';
import {
  bodyOf,
  calendarOf,
  conditionOf,
  eventOf,
  KATE,
  propfindOf,
  put,
  readMultistatus,
  startCalDav,
  syncAs,
} from './harness.ts';

const href = (name: string): string => `${calendarOf(KATE)}${name}`;
const sync = (dav: ReturnType<typeof startCalDav>, token: string, more = '') => syncAs(dav, KATE, token, more);

test('shows what came, changed and went after a token, each once and in order', async () => {
  const dav = startCalDav();
  for (const name of ['a', 'b', 'c']) await put(dav, `${name}.ics`, bodyOf(eventOf(name)));
  const first = await sync(dav, '');
  expect(first.shown).toEqual(['a.ics', 'b.ics', 'c.ics']);
  expect((await sync(dav, first.next)).shown).toEqual([]);
  await dav.kate('DELETE', href('b.ics'));
  await put(dav, 'a.ics', bodyOf(eventOf('a', ['SUMMARY:new'])));
  await put(dav, 'd.ics', bodyOf(eventOf('d')));
  await dav.kate('DELETE', href('d.ics'));
  for (let times = 0; times < 2; times += 1) {
    expect((await sync(dav, first.next)).shown).toEqual(['-b.ics', 'a.ics', '-d.ics']);
  }
  expect((await sync(dav, '')).shown, 'everything, without deletions').toEqual(['c.ics', 'a.ics']);
});

test('cuts an answer at a limit, and goes on from its token', async () => {
  const dav = startCalDav();
  for (const name of ['a', 'b', 'c']) await put(dav, `${name}.ics`, bodyOf(eventOf(name)));
  const limit = '<D:limit><D:nresults>2</D:nresults></D:limit>';
  const first = await sync(dav, '', limit);
  expect(first.shown).toEqual(['a.ics', 'b.ics', '507 ']);
  await put(dav, 'a.ics', bodyOf(eventOf('a', ['SUMMARY:new'])));
  expect((await sync(dav, first.next, limit)).shown).toEqual(['c.ics', 'a.ics']);
  dav.control('setSyncPageSize', { size: 1 });
  expect((await sync(dav, '')).shown, 'by its own limit').toEqual(['b.ics', '507 ']);
});

test('refuses a token that has ended, or is of another calendar, and one of no calendar', async () => {
  const dav = startCalDav();
  const { next } = await sync(dav, '');
  const other = await syncAs(dav, 'dot@caldav.example', '');
  dav.control('expireSyncTokens');
  for (const token of [next, other.next, 'nonsense', `${next}0`]) {
    expect(conditionOf((await sync(dav, token)).answer), token).toBe('403 D:valid-sync-token');
  }
  expect((await sync(dav, '')).answer.status).toBe(207);
});

test('counts every change in the ctag', async () => {
  const dav = startCalDav();
  const ctag = async () => {
    const { body } = await dav.kate('PROPFIND', calendarOf(KATE), {
      body: propfindOf('CS:getctag'),
      headers: { depth: '0' },
    });
    return readMultistatus(body).responses[0]?.props['getctag'];
  };
  const tags = [await ctag(), await ctag()];
  await put(dav, 'a.ics', bodyOf(eventOf('a')));
  tags.push(await ctag());
  await dav.kate('DELETE', href('a.ics'));
  tags.push(await ctag());
  expect(new Set(tags).size).toBe(3);
});

test('throttles, and comes back as its state says', async () => {
  const dav = startCalDav();
  await put(dav, 'a.ics', bodyOf(eventOf('a')));
  const { next } = await sync(dav, '');
  dav.control('throttle', { perMinute: 1 });
  expect((await sync(dav, next)).answer.status).toBe(207);
  const refused = await dav.kate('GET', href('a.ics'));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  dav.advance(60_000);
  dav.sandbox.caldav.restore(JSON.parse(JSON.stringify(dav.sandbox.caldav.snapshot())));
  expect((await sync(dav, next)).shown).toEqual([]);
});
