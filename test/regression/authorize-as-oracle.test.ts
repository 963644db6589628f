import { afterEach, expect, it } from 'vitest';
import { createWorld, PROVIDERS, type World } from '../interface/world.ts';

let world: World;
afterEach(() => world.close());

it('begins the same flow for connected and unknown mailboxes', async () => {
  world = await createWorld();
  for (const { provider, providerType } of PROVIDERS) {
    const { email } = await world.connect(provider);
    const begin = async (path: string, loginHint: string) => {
      const url = `/v1/oauth/authorize/${world.applicationId}/${path}?loginHint=${encodeURIComponent(loginHint)}`;
      const { status, headers } = await world.call('GET', url, { key: null });
      expect(status).toBe(302);
      const { searchParams } = new URL(headers.get('location') ?? '');
      for (const secret of ['state', 'nonce', 'code_challenge', 'login_hint']) searchParams.delete(secret);
      return searchParams.toString();
    };
    const path = providerType.toLowerCase();
    expect(await begin(path, email)).toBe(await begin(path, 'nobody@mail.example'));
    // The segment may be written as the provider type is.
    expect(await begin(providerType, email)).toBe(await begin(path, email));
  }
});
