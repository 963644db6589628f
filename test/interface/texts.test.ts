import { readJson } from 'kalends/ports';
import { afterEach, describe, expect, it } from 'vitest';
import { createInterceptedWorld } from '../regression/intercepted-world.ts';
import { body, eventsPath, expectProblem, query, readAll } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

/* PostgreSQL has no U+0000 in texts and UTF-8 no lone surrogates: neither comes in from callers or from providers. */

let world: World;
afterEach(() => world.close());

const start = { dateTime: '2026-03-01T09:00:00Z' };

describe.each(['\0', '\ud800', '\udc00a'])('a text with %j', (bad) => {
  it('is refused in bodies, queries and ids, naming the field', async () => {
    world = await createWorld();
    const at = await world.connect('google');
    const refused = async (path: string, answer: Promise<Json>) =>
      expectProblem((await answer) as never, 400, 'InvalidRequest', path);
    const post = (more: Json) => world.call('POST', eventsPath(at), { body: { title: 't', start, ...more } });
    await refused('title', post({ title: `a${bad}` }));
    await refused('attendees.0.name', post({ attendees: [{ email: 'a@b.example', name: bad }] }));
    await refused('privateExtendedProperties.k', post({ privateExtendedProperties: { k: bad } }));
    await refused('privateExtendedProperties', post({ privateExtendedProperties: { [`k${bad}`]: 'v' } }));
    const account = { externalId: bad };
    await refused('externalId', world.call('POST', '/v1/endUserAccounts', { body: account }));
    // A URL cannot carry half a character.
    if (bad !== '\0') return;
    await refused('search', world.call('GET', eventsPath(at) + query({ search: bad })));
    await refused('search', world.call('GET', `/v1/endUserAccounts${query({ search: bad })}`));
    await refused('eventId', world.call('GET', eventsPath(at, bad)));
    await refused('eventId', world.call('DELETE', eventsPath(at, `a${bad}`)));
    await refused('calendarId', world.call('GET', eventsPath({ ...at, calendarId: bad })));
    await refused('endUserAccountId', world.call('GET', eventsPath({ ...at, accountId: bad })));
  });

  it('is refused to a program as it is over HTTP', async () => {
    world = await createWorld();
    const { accountId, calendarId } = await world.connect('google');
    const caller = { applicationId: world.applicationId };
    await expect(world.engine.events.get(caller, accountId, calendarId, bad)).rejects.toMatchObject({
      code: 'InvalidRequest',
      details: [{ path: 'eventId' }],
    });
    const { apiKeys } = world.engine;
    await expect(apiKeys.authenticate(bad)).rejects.toMatchObject({ code: 'InvalidApiKey' });
    await expect(apiKeys.revoke(world.applicationId, bad)).rejects.toMatchObject({
      code: 'InvalidRequest',
      details: [{ path: 'keyId' }],
    });
  });
});

it.each(PROVIDERS)('what $provider sends is mirrored without them', async ({ provider }) => {
  const intercepted = await createInterceptedWorld();
  world = intercepted.world;
  const at = await world.connect(provider);
  body(await world.call('POST', eventsPath(at), { body: { title: 'MARK', start, location: 'MARK' } }), 201);
  intercepted.network.intercept = async (_request, pass) => {
    const answer = await pass();
    const text = (await answer.text()).replaceAll('MARK', 'a\\u0000b\\ud83dc\\ud83d\\ude00');
    const headers = new Headers(answer.headers);
    headers.delete('content-length');
    return new Response(answer.status === 204 ? null : text, { status: answer.status, headers });
  };
  const { id } = (await readAll(world, eventsPath(at))).data[0]!;
  const now = body(await world.call('PUT', eventsPath(at, id), { body: { description: 'new' } }));
  expect(now).toMatchObject({ title: 'ab\ufffdc😀', location: 'ab\ufffdc😀', description: 'new' });
  body(await world.call('PUT', eventsPath(at, id), { body: now }));
});

it('JSON from outside is otherwise read as it is', () => {
  expect(readJson('{"a\\u0000":["\\ud800","\\\\u0000","\\ud83d\\ude00"],"__proto__":1}')).toEqual(
    JSON.parse('{"a":["\ufffd","\\\\u0000","😀"],"__proto__":1}'),
  );
  expect(() => readJson('{')).toThrow(SyntaxError);
});
