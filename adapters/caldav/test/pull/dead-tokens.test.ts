import { describe, expect, it } from 'vitest';
import {
  asksSince,
  edited,
  listsObjects,
  type PulledCalendar,
  refusal,
  startCalendar,
  startCalendarWith,
} from './pulled-calendar.ts';

/** A pulled calendar, in which one object has gone, one has changed and one has come since. */
async function changedSince(...quirks: readonly string[]): Promise<PulledCalendar> {
  const pulled = await startCalendar(...quirks);
  for (const name of ['a', 'b', 'c']) await pulled.put(`${name}.ics`, name);
  await pulled.pull();
  await pulled.remove('a.ics');
  await pulled.put('b.ics', 'b, changed');
  await pulled.put('d.ics', 'd');
  pulled.asked.length = 0;
  return pulled;
}

describe('a dead token', () => {
  it.each([
    [403, 'valid-sync-token'],
    [409, 'valid-sync-token'],
    [400, undefined],
    [403, undefined],
    [409, undefined],
    [410, undefined],
    [412, undefined],
    [415, undefined],
    [418, undefined],
    [500, undefined],
    [501, undefined],
    [507, undefined],
  ])('may be answered %d (%s): a full pull follows', async (status, precondition) => {
    const pulled = await changedSince();
    pulled.answerBy((asked, ask) => (asksSince(asked) ? refusal(status, precondition) : ask()));
    expect(await pulled.pull()).toEqual(['increment', 'full']);
    expect(pulled.shown()).toEqual(pulled.stored());
    expect(pulled.asked.filter(asksSince), 'asked once').toHaveLength(1);
    pulled.answerBy(undefined);
    await pulled.put('e.ics', 'e');
    expect(await pulled.pull()).toEqual(['increment']);
    expect(pulled.shown()).toEqual(pulled.stored());
  });

  it.each([
    401, 429, 502, 503, 504,
  ])('is no token that is answered %d: the mirror and the token stay', async (status) => {
    const pulled = await changedSince();
    const { token } = pulled;
    const before = pulled.shown();
    pulled.answerBy((asked, ask) => (asksSince(asked) ? refusal(status) : ask()));
    await expect(pulled.pull()).rejects.toMatchObject({ status });
    expect([pulled.token, pulled.shown()]).toEqual([token, before]);
    pulled.answerBy(undefined);
    expect(await pulled.pull()).toEqual(['increment']);
    expect(pulled.shown()).toEqual(pulled.stored());
  });

  it('is no token of a server that is down altogether', async () => {
    const pulled = await changedSince();
    const before = pulled.shown();
    pulled.answerBy(() => refusal(500));
    await expect(pulled.pull()).rejects.toMatchObject({ reason: 'unavailable', status: 500 });
    expect(pulled.shown()).toEqual(before);
  });

  it('may be answered with everything and no deletion', async () => {
    const pulled = await changedSince('fullListForEndedToken');
    pulled.harness.control('expireSyncTokens', {});
    expect(await pulled.pull()).toEqual(['increment']);
    expect(pulled.shown()).toEqual(pulled.stored());
  });

  it('may be answered so in the background, of a calendar that has no tag either', async () => {
    const pulled = await startCalendarWith({ isBackground: true }, 'fullListForEndedToken');
    pulled.answerBy(async (_, ask) => {
      const answer = await ask();
      if (answer.status !== 207) return answer;
      const text = (await answer.text()).replaceAll(/<(\w+:)?getctag[^<]*(\/>|<\/(\w+:)?getctag>)/g, '');
      return new Response(text, { status: 207, headers: answer.headers });
    });
    for (const name of ['a', 'b', 'c']) await pulled.put(`${name}.ics`, name);
    await pulled.pull();
    await pulled.remove('a.ics');
    await pulled.put('d.ics', 'd');
    pulled.harness.control('expireSyncTokens', {});
    expect(await pulled.pull()).toEqual(['increment']);
    expect(pulled.shown()).toEqual(pulled.stored());
  });

  it.each([1, 2])('is none that is answered with each of %d objects, all of which have changed', async (count) => {
    const pulled = await startCalendar();
    const names = ['a', 'b'].slice(0, count);
    for (const title of ['first', 'second', 'third']) {
      for (const name of names) await pulled.put(`${name}.ics`, title);
      expect(await pulled.pull()).toEqual([title === 'first' ? 'full' : 'increment']);
      expect(pulled.shown()).toEqual(pulled.stored());
    }
  });

  it('may be answered with everything, most of which has changed', async () => {
    const pulled = await startCalendar('fullListForEndedToken');
    for (let at = 0; at < 30; at += 1) await pulled.put(`${at}.ics`, `${at}`);
    await pulled.pull();
    for (let at = 0; at < 5; at += 1) await pulled.remove(`${at}.ics`);
    for (let at = 5; at < 25; at += 1) await pulled.put(`${at}.ics`, `${at}, changed`);
    pulled.harness.control('expireSyncTokens', {});
    await pulled.pull();
    expect(pulled.shown()).toEqual(pulled.stored());
  });

  it('may be answered with everything, where half is left', async () => {
    const pulled = await changedSince('fullListForEndedToken');
    await pulled.remove('c.ics');
    pulled.harness.control('expireSyncTokens', {});
    expect(await pulled.pull()).toEqual(['increment']);
    expect(pulled.shown()).toEqual({ 'b.ics': 'b, changed', 'd.ics': 'd' });
  });
});

it('takes an answer that names objects we hold, but not all there are, for changes', async () => {
  const pulled = await startCalendar();
  for (let at = 0; at < 12; at += 1) await pulled.put(`${at}.ics`, `${at}`);
  await pulled.pull();
  const { token } = pulled;
  for (let at = 0; at < 11; at += 1) await pulled.put(`${at}.ics`, `${at}, changed`);
  await pulled.pull();
  // A token that is still good, of before changes that the mirror has.
  pulled.token = token;
  expect(await pulled.pull()).toEqual(['increment']);
  expect(pulled.shown()).toEqual(pulled.stored());
});

it.each([
  ['once', 1],
  ['always', Number.POSITIVE_INFINITY],
])('lists by PROPFIND where the empty token is refused, too: %s', async (_, times) => {
  const pulled = await startCalendar();
  await pulled.put('a.ics', 'a');
  let refused = 0;
  pulled.answerBy((asked, ask) => {
    if (asked.report !== 'sync-collection' || refused >= times) return ask();
    refused += 1;
    return refusal(403, 'valid-sync-token');
  });
  expect(await pulled.pull()).toEqual(['full']);
  expect(pulled.shown()).toEqual(pulled.stored());
  await pulled.remove('a.ics');
  await pulled.put('b.ics', 'b');
  expect(await pulled.pull()).toEqual(['increment']);
  expect(pulled.shown()).toEqual(pulled.stored());
});

/** Empties the token of an answer. */
const withoutToken = (text: string): string =>
  text.replace(/<D:sync-token>[^<]*<\/D:sync-token>(?=<\/D:multistatus>)/, '<D:sync-token/>');

it('keeps the token where an answer has an empty one', async () => {
  const pulled = await changedSince();
  pulled.answerBy(async (asked, ask) => (asksSince(asked) ? edited(await ask(), withoutToken) : ask()));
  expect(await pulled.pull()).toEqual(['increment']);
  expect(pulled.shown()).toEqual(pulled.stored());
  await pulled.remove('c.ics');
  expect(await pulled.pull(), 'from the same token').toEqual(['increment']);
  expect(pulled.shown()).toEqual(pulled.stored());
  pulled.answerBy(undefined);
  await pulled.put('e.ics', 'e');
  expect(await pulled.pull()).toEqual(['increment']);
  expect(pulled.shown()).toEqual(pulled.stored());
});

it('stores no empty token of a full pull', async () => {
  const pulled = await startCalendar();
  await pulled.put('a.ics', 'a');
  pulled.answerBy(async (asked, ask) =>
    asked.report === 'sync-collection' ? edited(await ask(), withoutToken) : ask(),
  );
  await pulled.pull();
  await pulled.remove('a.ics');
  await pulled.put('b.ics', 'b');
  expect(await pulled.pull()).toEqual(['increment']);
  expect(pulled.shown()).toEqual(pulled.stored());
  expect(pulled.asked.filter(listsObjects).length).toBeGreaterThan(0);
});

it('sees a change in the instant of its own token', async () => {
  const pulled = await startCalendar('propfindTokenLosesChanges');
  for (const name of ['a', 'v', 'w', 'x', 'y', 'z']) await pulled.put(`${name}.ics`, name);
  await pulled.pull();
  for (const title of ['b', 'c', 'd']) {
    await pulled.put('a.ics', title);
    await pulled.put(`${title}.ics`, title);
    expect(await pulled.pull()).toEqual(['increment']);
    expect(pulled.shown()).toEqual(pulled.stored());
  }
});

describe('an answer in parts', () => {
  it.each([1, 2, 3])('is read to its end: %d at a time', async (size) => {
    const pulled = await startCalendar();
    pulled.harness.control('setSyncPageSize', { size });
    for (const name of ['a', 'b', 'c', 'd']) await pulled.put(`${name}.ics`, name);
    await pulled.pull();
    expect(pulled.shown()).toEqual(pulled.stored());
    for (const name of ['a', 'b']) await pulled.remove(`${name}.ics`);
    for (const name of ['c', 'e', 'f']) await pulled.put(`${name}.ics`, `${name}, changed`);
    expect(await pulled.pull()).toEqual(['increment']);
    expect(pulled.shown()).toEqual(pulled.stored());
    expect(pulled.asked.filter(({ report }) => report === 'sync-collection').length).toBeGreaterThan(2);
  });

  it('that goes on from the token it was asked with is no whole list', async () => {
    const pulled = await startCalendar();
    for (const name of ['a', 'b', 'c']) await pulled.put(`${name}.ics`, name);
    await pulled.pull();
    for (const name of ['d', 'e', 'f']) await pulled.put(`${name}.ics`, name);
    await pulled.remove('a.ics');
    pulled.harness.control('setSyncPageSize', { size: 2 });
    // Each part has the same token, so that the next would be the same part.
    let first: string | undefined;
    pulled.answerBy(async (asked, ask) => {
      if (asked.report !== 'sync-collection') return ask();
      return edited(await ask(), (text) => {
        first ??= /<D:sync-token>([^<]*)<\/D:sync-token>(?=<\/D:multistatus>)/.exec(text)?.[1];
        return text.replace(
          /<D:sync-token>[^<]*<\/D:sync-token>(?=<\/D:multistatus>)/,
          `<D:sync-token>${first}</D:sync-token>`,
        );
      });
    });
    await pulled.pull();
    expect(pulled.shown()).toEqual(pulled.stored());
    await pulled.put('g.ics', 'g');
    await pulled.pull();
    expect(pulled.shown()).toEqual(pulled.stored());
  });

  it('whose rest has no token is no whole list', async () => {
    const pulled = await startCalendar();
    for (const name of ['a', 'b', 'c']) await pulled.put(`${name}.ics`, name);
    await pulled.pull();
    for (const name of ['a', 'b', 'c']) await pulled.put(`${name}.ics`, `${name}, changed`);
    pulled.harness.control('setSyncPageSize', { size: 1 });
    pulled.answerBy(async (asked, ask) => (asksSince(asked) ? edited(await ask(), withoutToken) : ask()));
    await pulled.pull();
    expect(pulled.shown()).toEqual(pulled.stored());
  });
});
