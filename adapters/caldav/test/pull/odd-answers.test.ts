import { describe, expect, it } from 'vitest';
import { pathOfId } from '../../src/protocol/paths.ts';
import { edited, editResponses, listsObjects, type PulledCalendar, refusal, startCalendar } from './pulled-calendar.ts';

const isOf = (name: string) => (response: string) => response.includes(`/${name}</D:href>`);

const statusOf = (response: string, status: number): string =>
  `<D:response>${/<D:href>.*?<\/D:href>/.exec(response)?.[0]}<D:status>HTTP/1.1 ${status} No</D:status></D:response>`;

/** A pulled calendar of three objects, each of which has changed since. */
async function threeChanged(...quirks: readonly string[]): Promise<PulledCalendar> {
  const pulled = await startCalendar(...quirks);
  for (const name of ['a', 'b', 'c']) await pulled.put(`${name}.ics`, name);
  await pulled.pull();
  for (const name of ['a', 'b', 'c']) await pulled.put(`${name}.ics`, `${name}, changed`);
  pulled.asked.length = 0;
  return pulled;
}

const LISTS = [['sync-collection', []] as const, ['PROPFIND', ['noSyncCollection']] as const];

describe.each(LISTS)('a calendar listed by %s', (_, quirks) => {
  it('asks by GET, once each, for what a multiget leaves out', async () => {
    const pulled = await threeChanged(...quirks);
    pulled.answerBy(async (asked, ask) =>
      asked.report === 'calendar-multiget'
        ? editResponses(await ask(), (response) => (isOf('b.ics')(response) ? '' : response))
        : ask(),
    );
    await pulled.pull();
    expect(pulled.shown()).toEqual(pulled.stored());
    expect(pulled.asked.filter(({ method }) => method === 'GET').map(({ url }) => url.split('/').at(-1))).toEqual([
      'b.ics',
    ]);
  });

  it('with omitsListedHref and omitsMissingHrefs is whole', async () => {
    const pulled = await threeChanged(...quirks, 'omitsListedHref', 'omitsMissingHrefs');
    await pulled.remove('c.ics');
    await pulled.pull();
    expect(pulled.shown()).toEqual(pulled.stored());
  });

  it('takes an object that is gone between the list and its reading for deleted', async () => {
    for (const more of [[], ['omitsMissingHrefs']]) {
      const pulled = await threeChanged(...quirks, ...more);
      pulled.answerBy(async (asked, ask) => {
        if (asked.report === 'calendar-multiget') await pulled.remove('b.ics').catch(() => undefined);
        return ask();
      });
      await pulled.pull();
      expect(pulled.shown()).toEqual({ 'a.ics': 'a, changed', 'c.ics': 'c, changed' });
    }
  });

  it('may name an object that multiget has never seen', async () => {
    const pulled = await threeChanged(...quirks);
    pulled.answerBy(async (asked, ask) => {
      const adds = (text: string) =>
        text.replace(
          isOf('a.ics')(text) ? '</D:response>' : '\0',
          `</D:response>${text.replaceAll('a.ics', 'ghost.ics')}`,
        );
      return asked.report === 'sync-collection' || listsObjects(asked) ? editResponses(await ask(), adds) : ask();
    });
    await pulled.pull();
    expect(pulled.shown()).toEqual(pulled.stored());
  });

  it('may name deletions of what was never there', async () => {
    const pulled = await threeChanged(...quirks);
    const adds = (text: string) =>
      text + (isOf('a.ics')(text) ? statusOf(text.replaceAll('a.ics', 'ghost.ics'), 404) : '');
    pulled.answerBy(async (asked, ask) =>
      asked.report === 'sync-collection' || listsObjects(asked) ? editResponses(await ask(), adds) : ask(),
    );
    await pulled.pull();
    expect(pulled.shown()).toEqual(pulled.stored());
  });

  it('writes hrefs in ways of its own', async () => {
    const pulled = await startCalendar(...quirks);
    const names = ['a b.ics', 'a@b.ics', 'ü+1.ics', 'no-suffix', '50%25.ics', "o'clock(1).EML"];
    for (const name of names) await pulled.put(name, name);
    let turn = 0;
    pulled.answerBy(async (_asked, ask) => {
      const answer = await ask();
      turn += 1;
      if (answer.status !== 207) return answer;
      return editResponses(answer, (response) =>
        response.replace(/<D:href>(.*?)<\/D:href>/, (_href, href: string) => `<D:href>${written(href, turn)}</D:href>`),
      );
    });
    await pulled.pull();
    expect(pulled.shown()).toEqual(pulled.stored());
    for (const name of names) await pulled.put(name, `${name}, changed`);
    await pulled.remove('a@b.ics');
    expect(await pulled.pull()).toEqual(['increment']);
    expect(pulled.shown()).toEqual(pulled.stored());
  });

  it('has names with an escaped slash of their own, and names that are not UTF-8', async () => {
    const pulled = await startCalendar(...quirks);
    // python-caldav escapes the slash of a UID twice.
    for (const name of ['a%2Fb.ics', 'caf__.ics']) await pulled.put(name, name.slice(0, 3));
    pulled.answerBy(async ({ url, body }, ask) => {
      // The name that the server has in Latin-1 is known to it by no other.
      if (url.includes('caf%25') || body.includes('caf%25')) return new Response('', { status: 404 });
      if (!body.includes('caf%E9.ics'))
        return edited(await ask(), (text) => text.replaceAll('caf__.ics', 'caf%E9.ics'));
      return edited(await ask(body.replaceAll('caf%E9.ics', 'caf__.ics')), (text) =>
        text.replaceAll('caf__.ics', 'caf%E9.ics'),
      );
    });
    await pulled.pull();
    expect(Object.values(pulled.shown()).toSorted()).toEqual(['a%2', 'caf']);
  });

  it.each([
    ['weak', (tag: string) => `W/${tag}`],
    ['unquoted', (tag: string) => tag.replaceAll('&quot;', '').replaceAll('"', '')],
    ['of a compression', (tag: string) => tag.replace(/(&quot;|")$/, '-gzip$1')],
  ])('has tags that are %s, of which none is read twice', async (_form, form) => {
    const pulled = await startCalendar(...quirks, 'weakEtags');
    for (const name of ['a', 'b']) await pulled.put(`${name}.ics`, name);
    pulled.answerBy(async (_asked, ask) => {
      const answer = await ask();
      if (answer.status !== 207) return answer;
      return editResponses(answer, (response) =>
        response.replace(
          /(<D:getetag>)(.*?)(<\/D:getetag>)/,
          (_all, open, tag, close) => `${open}${form(tag)}${close}`,
        ),
      );
    });
    await pulled.pull();
    await pulled.put('b.ics', 'b, changed');
    pulled.asked.length = 0;
    await pulled.pull();
    expect(pulled.shown()).toEqual(pulled.stored());
    const read = pulled.asked.filter(({ report }) => report === 'calendar-multiget').map(({ body }) => body);
    expect([read.length, read.join().includes('a.ics')]).toEqual([1, false]);
  });

  it('without tags reads all again', async () => {
    const pulled = await startCalendar(...quirks);
    for (const name of ['a', 'b']) await pulled.put(`${name}.ics`, name);
    pulled.answerBy(async (_asked, ask) => {
      const answer = await ask();
      return answer.status === 207
        ? editResponses(answer, (response) => response.replaceAll(/<D:(getetag|getlastmodified)>.*?<\/D:\1>/g, ''))
        : answer;
    });
    await pulled.pull();
    await pulled.put('b.ics', 'b, changed');
    await pulled.remove('a.ics');
    await pulled.pull();
    expect(pulled.shown()).toEqual(pulled.stored());
  });

  it.each([
    '"漢字"',
    '"a&#10;b"',
    '"a&#127;b"',
    '"a&#13;&#10;X-Evil: 1"',
  ])('with tags that no header can carry (%s) has none', async (tag) => {
    const pulled = await startCalendar(...quirks);
    await pulled.put('a.ics', 'a');
    pulled.answerBy(async (_asked, ask) =>
      edited(await ask(), (text) => text.replaceAll(/<D:getetag>.*?<\/D:getetag>/g, `<D:getetag>${tag}</D:getetag>`)),
    );
    await pulled.pull();
    expect(pulled.mirror.get('a.ics')).toMatchObject({ title: 'a', tag: null });
    const { session, calendar, harness } = pulled;
    const { events } = harness.provider;
    const providerEventId = Buffer.from(`${pathOfId(calendar.id)}a.ics`).toString('base64url');
    const [read] = await events.get(session, calendar, providerEventId);
    if (read?.kind !== 'series') throw new Error('the event was not read');
    const target = { kind: 'event', providerEventId, current: read.master } as const;
    await events.update(session, calendar, target, { title: 'b' }, {});
    expect(pulled.stored()).toEqual({ 'a.ics': 'b' });
  });

  it.each([403, 500])('keeps an object that the list itself answers %d for', async (status) => {
    const pulled = await threeChanged(...quirks);
    pulled.answerBy(async (asked, ask) =>
      asked.report === 'sync-collection' || listsObjects(asked)
        ? editResponses(await ask(), (response) => (isOf('b.ics')(response) ? statusOf(response, status) : response))
        : ask(),
    );
    await pulled.pull();
    expect(pulled.shown()).toEqual(pulled.stored());
  });

  it.each([403, 500, 501])('loses no other for an object that is answered %d', async (status) => {
    const pulled = await threeChanged(...quirks);
    pulled.answerBy(async (asked, ask) => {
      if (asked.report === 'calendar-multiget') {
        return editResponses(await ask(), (response) =>
          isOf('b.ics')(response) ? statusOf(response, status) : response,
        );
      }
      return asked.url.endsWith('/b.ics') ? refusal(status) : ask();
    });
    for (const pull of ['increment', 'full']) {
      if (pull === 'full') pulled.token = null;
      await pulled.pull();
      expect(pulled.unreadable).toEqual(['b.ics']);
      expect(pulled.shown()).toEqual({ ...pulled.stored(), 'b.ics': 'b' });
    }
  });

  it.each([
    true,
    false,
  ])('reads an object again that is answered 500 for a while, others between or not: %s', async (others) => {
    const pulled = await threeChanged(...quirks);
    const fails = (when: () => boolean) =>
      pulled.answerBy(async (asked, ask) => {
        const isAlone = asked.url.endsWith('/b.ics');
        if (asked.report === 'calendar-multiget' && when()) {
          if (!asked.body.includes('/a.ics<')) return asked.body.includes('/b.ics<') ? refusal(500) : ask();
          return editResponses(await ask(), (response) =>
            isOf('b.ics')(response) ? statusOf(response, 500) : response,
          );
        }
        return isAlone && when() ? refusal(500) : ask();
      });
    let isFailing = true;
    fails(() => isFailing);
    await pulled.pull();
    expect(pulled.shown()).toEqual({ ...pulled.stored(), 'b.ics': 'b' });
    if (others) await pulled.put('a.ics', 'once more');
    await pulled.pull();
    expect(pulled.shown()).toEqual({ ...pulled.stored(), 'b.ics': 'b' });
    isFailing = false;
    await pulled.pull();
    expect(pulled.shown()).toEqual(pulled.stored());
  });

  it('reads an object a few times more that is answered 500 for good, and then no longer', async () => {
    const pulled = await threeChanged(...quirks);
    pulled.answerBy(async (asked, ask) => {
      if (asked.report === 'calendar-multiget' && asked.body.includes('/b.ics<')) return refusal(500);
      return asked.method === 'GET' && asked.url.endsWith('/b.ics') ? refusal(500) : ask();
    });
    const readings: number[] = [];
    for (let pulls = 0; pulls < 8; pulls += 1) {
      const before = pulled.asked.length;
      await pulled.pull();
      readings.push(
        pulled.asked.slice(before).filter(({ method, url }) => method === 'GET' && url.endsWith('/b.ics')).length,
      );
    }
    expect(readings.map((times) => times > 0)).toEqual([true, true, true, true, true, false, false, false]);
    expect(pulled.shown()).toEqual({ ...pulled.stored(), 'b.ics': 'b' });
  });

  it('reads an object again whatever other has failed for good before', async () => {
    const pulled = await threeChanged(...quirks);
    let fails = ['b.ics'];
    const isFailing = (url: string) => fails.some((name) => url.endsWith(`/${name}`));
    pulled.answerBy(async (asked, ask) => {
      if (asked.report !== 'calendar-multiget')
        return asked.method === 'GET' && isFailing(asked.url) ? refusal(500) : ask();
      return editResponses(await ask(), (response) =>
        fails.some((name) => isOf(name)(response)) ? statusOf(response, 500) : response,
      );
    });
    for (let pulls = 0; pulls < 4; pulls += 1) await pulled.pull();
    await pulled.put('c.ics', 'once more');
    fails = ['b.ics', 'c.ics'];
    await pulled.pull();
    fails = ['b.ics'];
    await pulled.pull();
    expect(pulled.shown()).toEqual({ ...pulled.stored(), 'b.ics': 'b' });
  });

  it('loses no other for an object that breaks every multiget it is in', async () => {
    const pulled = await threeChanged(...quirks);
    const breaks = [() => refusal(500), () => new Response('<D:multistatus xmlns:D="DAV:"><D:resp', { status: 207 })];
    for (const broken of breaks) {
      for (const name of ['a', 'b', 'c']) await pulled.put(`${name}.ics`, `${name}, ${breaks.indexOf(broken)}`);
      pulled.answerBy((asked, ask) => {
        if (asked.report === 'calendar-multiget' && asked.body.includes('/b.ics<')) return broken();
        return asked.method === 'GET' && asked.url.endsWith('/b.ics') ? refusal(500) : ask();
      });
      await pulled.pull();
      expect(pulled.unreadable).toEqual(['b.ics']);
      expect(pulled.shown()).toEqual({ ...pulled.stored(), 'b.ics': 'b' });
    }
  });

  it.each([500, 503])('takes nothing for unreadable while every reading is answered %d', async (status) => {
    const pulled = await threeChanged(...quirks);
    const { token } = pulled;
    const before = pulled.shown();
    pulled.answerBy((asked, ask) =>
      asked.report === 'calendar-multiget' || asked.method === 'GET' ? refusal(status) : ask(),
    );
    await expect(pulled.pull()).rejects.toMatchObject({ status });
    expect([pulled.token, pulled.unreadable, pulled.shown()]).toEqual([token, [], before]);
  });

  it('keeps an object whose text cannot be read, until it can', async () => {
    const pulled = await threeChanged(...quirks);
    const href = '/personal/b.ics';
    pulled.harness.control('corruptObject', { email: 'ada@dav.example', href });
    for (const token of [pulled.token, null]) {
      pulled.token = token;
      await pulled.pull();
      expect(pulled.unreadable).toEqual(['b.ics']);
      expect(pulled.shown()).toEqual({ ...pulled.stored(), 'b.ics': 'b' });
    }
    pulled.harness.control('repairObject', { email: 'ada@dav.example', href });
    pulled.token = null;
    await pulled.pull();
    expect(pulled.shown()).toEqual(pulled.stored());
  });

  it('drops an event whose object has none left', async () => {
    const pulled = await threeChanged(...quirks);
    pulled.answerBy(async (asked, ask) =>
      asked.report === 'calendar-multiget'
        ? editResponses(await ask(), (response) =>
            isOf('b.ics')(response) ? response.replaceAll('VEVENT', 'VTODO').replaceAll('DTEND', 'DUE') : response,
          )
        : ask(),
    );
    await pulled.pull();
    expect(pulled.shown()).toEqual({ 'a.ics': 'a, changed', 'c.ics': 'c, changed' });
  });

  it('never asks another host that an answer names', async () => {
    const pulled = await threeChanged(...quirks);
    const { host } = new URL(pulled.harness.url);
    pulled.answerBy(async (_asked, ask) => {
      const answer = await ask();
      if (answer.status !== 207) return answer;
      return editResponses(answer, (response) =>
        isOf('a.ics')(response) ? response + response.replaceAll('<D:href>', '<D:href>https://evil.example') : response,
      );
    });
    const before = pulled.shown();
    await expect(pulled.pull()).rejects.toMatchObject({ reason: 'malformed' });
    expect(pulled.shown()).toEqual(before);
    expect(new Set(pulled.asked.map(({ url }) => new URL(url).host))).toEqual(new Set([host]));
  });

  it('takes a list of another host for no list, and not for an empty one', async () => {
    const pulled = await threeChanged(...quirks);
    const before = pulled.shown();
    const { host } = new URL(pulled.harness.url);
    pulled.answerBy(async (asked, ask) =>
      asked.report === 'sync-collection' || listsObjects(asked)
        ? editResponses(await ask(), (response) => response.replaceAll('<D:href>', '<D:href>https://evil.example'))
        : ask(),
    );
    await expect(pulled.pull()).rejects.toMatchObject({ reason: 'malformed' });
    expect(pulled.shown()).toEqual(before);
    expect(new Set(pulled.asked.map(({ url }) => new URL(url).host))).toEqual(new Set([host]));
  });

  it.each([403, 404, 500])('takes a list of nothing but a %d for no list', async (status) => {
    const pulled = await threeChanged(...quirks);
    const before = pulled.shown();
    pulled.answerBy(async (asked, ask) => {
      if (asked.report !== 'sync-collection' && !listsObjects(asked)) return ask();
      const href = `<D:href>${new URL(asked.url).pathname}</D:href>`;
      const body = `<D:multistatus xmlns:D="DAV:"><D:response>${href}<D:status>HTTP/1.1 ${status} No</D:status></D:response></D:multistatus>`;
      return new Response(body, { status: 207 });
    });
    await expect(pulled.pull()).rejects.toMatchObject({ status });
    expect(pulled.shown()).toEqual(before);
  });
});

it('without sync-collection drops an object that was written here and deleted elsewhere since the last list', async () => {
  const pulled = await startCalendar('noSyncCollection');
  await pulled.put('a.ics', 'a');
  await pulled.pull();
  // The engine mirrors its own writes at once.
  pulled.mirror.set('b.ics', { title: 'b', tag: '"b"' });
  await pulled.put('a.ics', 'a, changed');
  expect(await pulled.pull()).toEqual(['increment']);
  expect(pulled.shown()).toEqual(pulled.stored());
});

/** Writes an href in one of several ways that mean the same. */
function written(href: string, turn: number): string {
  if (turn % 3 === 0) return href.replaceAll('%40', '@').replaceAll('%2B', '+');
  if (turn % 3 === 1) return href.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()).replaceAll("'", '%27');
  return href.replaceAll('@', '%40').replaceAll('(', '%28').replaceAll(')', '%29');
}
