import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ComposedEngine, failureOf, openComposedEngine } from '../accounts/composed-engine.ts';
import { createWorld, type World } from '../interface/world.ts';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

it('tells the application of an unknown parameter however long its name is', async () => {
  const path = `/v1/oauth/authorize/${world.applicationId}/provider_a`;
  for (const name of ['😀'.repeat(400), `a${'😀'.repeat(400)}`]) {
    const { status, headers } = await world.call('GET', `${path}?${encodeURIComponent(name)}=x`, { key: null });
    expect(status).toBe(302);
    const told = new URL(headers.get('location') ?? '').searchParams.get('error_description') ?? '';
    expect(told).toContain('😀');
    expect(told).not.toContain('\ufffd');
  }
});

it.each([
  'https://app.test/日本',
  'https://bücher.example/',
  'https://app.test/\u202e',
  'https://app.test/\u007f',
])('registers no redirect URL that a Location header cannot hold: %j', async (url) => {
  const { applications } = world.engine;
  const details = [{ path: 'redirectUrls.0', message: expect.stringMatching(/ASCII/) }];
  const refused = { code: 'InvalidRequest', details };
  expect(await failureOf(applications.create({ name: 'New', redirectUrls: [url] }))).toMatchObject(refused);
  const update = applications.update(world.applicationId, { redirectUrls: [url] });
  expect(await failureOf(update)).toMatchObject(refused);
});

async function begun(composed: ComposedEngine) {
  const { authorization } = composed.engine.services;
  const { location, cookies } = await authorization.begin(composed.applicationId, 'fake', { state: 's' }, null);
  composed.fake.codes.set('code', { refreshToken: 'rt', identity: { email: 'ada@a.example', providerAccountId: '1' } });
  const query = { state: new URL(location).searchParams.get('state') ?? '', code: 'code' };
  return { query, cookie: cookies[0]?.split(';')[0] ?? '' };
}

it('brings the person back to the application when the provider was taken away meanwhile', async () => {
  const composed = await openComposedEngine();
  const { query, cookie } = await begun(composed);
  const other = composed.process({ providers: { OTHER: composed.fake.provider } }).services.authorization;
  const { location } = await other.callback('fake', query, cookie);
  expect(Object.fromEntries(new URL(location).searchParams)).toMatchObject({ error: 'server_error', state: 's' });
});

it('does not use a state up while the application cannot be read', async () => {
  const composed = await openComposedEngine();
  const { query, cookie } = await begun(composed);
  const { storage } = composed;
  let isDown = true;
  const applications: typeof storage.applications = {
    ...storage.applications,
    find: async (id) => {
      if (isDown) throw new Error('the database is down');
      return storage.applications.find(id);
    },
  };
  const { authorization } = composed.process({ storage: { ...storage, applications } }).services;
  expect(await failureOf(authorization.callback('fake', query, cookie))).toMatchObject({
    message: expect.stringMatching(/down/),
  });
  isDown = false;
  const { location } = await authorization.callback('fake', query, cookie);
  expect(new URL(location).searchParams.has('endUserAccountId')).toBe(true);
});
