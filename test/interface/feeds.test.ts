import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { body, type Connected, eventsPath, expectProblem, secondApplication } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const at = (dateTime: string) => ({ dateTime, timeZone: 'Europe/London' });
const create = async (account: Connected, fields: Json): Promise<Json> =>
  body(await world.call('POST', eventsPath(account), { body: { start: at('2026-03-03T09:00:00'), ...fields } }), 201);
const placeOf = ({ accountId, calendarId }: Connected) => ({ endUserAccountId: accountId, calendarId });
const publish = async (detail: string, ...accounts: readonly Connected[]): Promise<Json> => {
  const fields = { name: 'Team, all', detail, calendars: accounts.map(placeOf) };
  return body(await world.call('POST', '/v1/feeds', { body: fields }), 201);
};
/** Reads a feed as a calendar program does: without a key. */
const read = async (url: string, headers: Record<string, string> = {}) => {
  const path = new URL(url).pathname.replace('/api', '');
  return await world.handler(new Request(`http://kalends.test${path}`, { headers }));
};
const linesOf = (text: string): readonly string[] => text.replaceAll('\r\n ', '').split('\r\n');

describe.each(PROVIDERS)('feeds of $providerType', ({ provider }) => {
  let account: Connected;
  beforeAll(async () => {
    account = await world.connect(provider);
    await create(account, { title: 'Secret lunch', description: 'with Mary', location: 'Canteen' });
    await create(account, { title: 'Adviser', visibility: 'private', description: 'Mortgage' });
    await create(account, { title: 'Anniversary', visibility: 'private', transparency: 'transparent' });
    await create(account, { title: 'Reading', transparency: 'transparent', description: 'A book' });
    const series = await create(account, { title: 'Stand-up', recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
    body(await world.call('DELETE', eventsPath(account, `${series.id}_20260305T090000Z`)));
    const free = { transparency: 'transparent' };
    body(await world.call('PUT', eventsPath(account, `${series.id}_20260306T090000Z`), { body: free }));
  });

  it('busy: shows times and nothing else', async () => {
    const { feed, url } = await publish('busy', account);
    expect(feed).toEqual({
      id: expect.stringMatching(/^fed_/),
      name: 'Team, all',
      detail: 'busy',
      calendars: [placeOf(account)],
      createdAt: expect.any(String),
    });
    const answer = await read(url);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/calendar; charset=utf-8']);
    const lines = linesOf(await answer.text());
    const names = new Set(lines.filter((line) => line !== '').map((line) => line.split(/[;:]/)[0]));
    const allowed =
      'BEGIN END VERSION PRODID CALSCALE METHOD NAME X-WR-CALNAME X-WR-TIMEZONE REFRESH-INTERVAL X-PUBLISHED-TTL TZID DTSTART ' +
      'TZOFFSETFROM TZOFFSETTO RRULE RDATE UID DTSTAMP DTEND CREATED LAST-MODIFIED SUMMARY EXDATE X-KALENDS-CANCELLED';
    expect([...names].filter((name) => !allowed.split(' ').includes(name ?? ''))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('SUMMARY'))).toEqual(Array(3).fill('SUMMARY:Busy'));
    expect(lines.filter((line) => line.startsWith('EXDATE'))).toHaveLength(2);
    expect(lines.filter((line) => /^(DTSTAMP|CREATED|LAST-MODIFIED)/.test(line))).toEqual(
      lines.filter((line) => /^(DTSTAMP|CREATED|LAST-MODIFIED):19700101T000000Z/.test(line)),
    );
    expect(lines).toContain('REFRESH-INTERVAL;VALUE=DURATION:PT60M');
    expect(lines.filter((line) => line.startsWith('UID')).every((line) => /^UID:[0-9a-f]{32}@busy$/.test(line))).toBe(
      true,
    );
  });

  it('busy: names a meeting in no way that its UID or another feed could tell', async () => {
    const uids = async () => {
      const { url } = await publish('busy', account);
      return linesOf(await (await read(url)).text()).filter((line) => line.startsWith('UID:'));
    };
    const [one, other] = [await uids(), await uids()];
    expect(one).toHaveLength(other.length);
    expect(one.filter((uid) => other.includes(uid))).toEqual([]);
  });

  it('full: shows what is public, and private events as busy', async () => {
    const { url } = await publish('full', account);
    const text = (await (await read(url)).text()).replaceAll('\r\n ', '');
    for (const shown of ['Secret lunch', 'with Mary', 'Canteen', 'Reading', 'Stand-up', 'SUMMARY:Busy'])
      expect(text).toContain(shown);
    // A private event that takes no time blocks none.
    expect(text.split('BEGIN:VEVENT').filter((each) => each.includes('SUMMARY:Free'))).toEqual([
      expect.stringContaining('TRANSP:TRANSPARENT'),
    ]);
    for (const hidden of ['Anniversary', 'Adviser', 'Mortgage', 'X-KALENDS-PRIVATE', 'VALARM'])
      expect(text).not.toContain(hidden);
  });

  it('is not sent again to a program that holds it, and compressed where that is accepted', async () => {
    const { url } = await publish('full', account);
    const first = await read(url);
    const text = await first.text();
    const etag = first.headers.get('etag') ?? '';
    // One tag names the plain text and the compressed one: it is weak, since they differ in their bytes (RFC 9110, 8.8.3.3).
    expect(etag).toMatch(/^W\/"/);
    const held = await read(url, { 'if-none-match': etag, 'accept-encoding': 'gzip' });
    expect([held.status, held.headers.get('vary'), held.body]).toEqual([304, 'accept-encoding', null]);
    const zipped = await read(url, { 'accept-encoding': 'gzip, deflate' });
    expect([zipped.headers.get('content-encoding'), zipped.headers.get('etag')]).toEqual(['gzip', etag]);
    expect(gunzipSync(Buffer.from(await zipped.arrayBuffer())).toString()).toBe(text);
    const event = await create(account, { title: 'Newer' });
    expect((await read(url, { 'if-none-match': etag })).status).toBe(200);
    body(await world.call('DELETE', eventsPath(account, event.id)));
  });

  it('ends: its address then answers as one that never was', async () => {
    const { feed, url } = await publish('full', account);
    const never = url.replace(/\w{6}\.ics$/, 'AAAAAA.ics');
    body(await world.call('DELETE', `/v1/feeds/${feed.id}`));
    const answers = await Promise.all([url, never, url.replace('.ics', 'x.ics')].map((each) => read(each)));
    const shown = await Promise.all(
      answers.map(async (answer) => ({ ...((await answer.json()) as object), requestId: '' })),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(shown[0]).toEqual(shown[1]);
    expect(shown[0]).toEqual(shown[2]);
    expectProblem(await world.call('DELETE', `/v1/feeds/${feed.id}`), 404, 'NotFound');
  });

  it('belongs to its application, which owns its calendars', async () => {
    const other = await secondApplication(world);
    const { feed } = await publish('busy', account);
    expect(body(await world.call('GET', '/v1/feeds', { key: other.key })).data).toEqual([]);
    expect(body(await world.call('GET', '/v1/feeds')).data).toContainEqual(feed);
    expectProblem(await world.call('DELETE', `/v1/feeds/${feed.id}`, { key: other.key }), 404, 'NotFound');
    const foreign = { name: 'x', calendars: [placeOf(account)] };
    expectProblem(
      await world.call('POST', '/v1/feeds', { key: other.key, body: foreign }),
      404,
      'NotFound',
      'calendars.0',
    );
    const gone = { name: 'x', calendars: [placeOf(account), { ...placeOf(account), calendarId: 'gone' }] };
    expectProblem(await world.call('POST', '/v1/feeds', { body: gone }), 404, 'NotFound', 'calendars.1');
    const twice = { name: 'x', calendars: [placeOf(account), placeOf(account)] };
    expectProblem(await world.call('POST', '/v1/feeds', { body: twice }), 400, 'InvalidRequest', 'calendars');
  });

  it('shows two calendars as one, loses that of a deleted account, and ends with its last', async () => {
    const second = await world.connect(provider);
    await create(second, { title: 'Of the second' });
    const { feed, url } = await publish('full', account, second);
    expect(await (await read(url)).text()).toMatch(/Secret lunch[\s\S]*Of the second/);
    body(await world.call('DELETE', `/v1/endUserAccounts/${second.accountId}`));
    const left = await (await read(url)).text();
    expect(left).toContain('Secret lunch');
    expect(left).not.toContain('Of the second');
    const { data } = body(await world.call('GET', '/v1/feeds?limit=250'));
    expect(data.find(({ id }: Json) => id === feed.id).calendars).toEqual([placeOf(account)]);

    const { url: last } = await publish('full', account);
    body(await world.call('DELETE', `/v1/endUserAccounts/${account.accountId}`));
    for (const address of [url, last]) expect((await read(address)).status).toBe(404);
  });
});

it('writes neither secret nor address into the audit log or the logs', async () => {
  const logged: string[] = [];
  const log = (message: string, fields?: object) => void logged.push(JSON.stringify([message, fields]));
  const logger = { debug: log, info: log, warn: log, error: log };
  const own = await createWorld({ logger });
  try {
    const { accountId, calendarId } = await own.connect('google');
    const fields = { name: 'x', calendars: [{ endUserAccountId: accountId, calendarId }] };
    const { feed, url } = body(await own.call('POST', '/v1/feeds', { body: fields }), 201);
    const secret = /feeds\/(\w{43})\.ics$/.exec(url)?.[1] ?? 'none';
    await own.handler(new Request(`http://kalends.test/v1/feeds/${secret}.ics`));
    body(await own.call('DELETE', `/v1/feeds/${feed.id}`));
    const { data } = await own.engine.audit.list({});
    expect(data.map(({ action, target }) => [action, target])).toEqual(
      expect.arrayContaining([
        ['feed.created', feed.id],
        ['feed.deleted', feed.id],
      ]),
    );
    for (const text of [...logged, JSON.stringify(data)]) expect(text).not.toContain(secret);
  } finally {
    await own.close();
  }
});
