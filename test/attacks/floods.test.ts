import { describe, expect, it } from 'vitest';
import { BASE_URL, createWorld, type World } from '../interface/world.ts';

const AUTHORIZE = '/v1/oauth/authorize';
const ANONYMOUS_FLOWS = 12_000;

async function begin(world: World) {
  const url = `${AUTHORIZE}/${world.applicationId}/provider_a?loginHint=person@google.example`;
  const answer = await world.call('GET', url, { key: null });
  expect(answer.status).toBe(302);
  const cookies = answer.headers.getSetCookie().map((text) => text.split(';')[0]);
  return { location: new URL(answer.headers.get('location') ?? ''), cookie: cookies.join('; ') };
}

/** The person allows everything; resolves with the path and query of the callback. */
async function consent(world: World, location: URL): Promise<string> {
  const form = new URLSearchParams([
    ...location.searchParams,
    ['mailbox', 'person@google.example'],
    ['decision', 'allow'],
  ]);
  const request = new Request(new URL(location.pathname, location), { method: 'POST', body: form });
  const back = (await world.sandbox.fetch(request)).headers.get('location') ?? '';
  return back.slice(BASE_URL.length);
}

describe('anonymous authorizations', () => {
  it('push nobody out who is at the consent page', async () => {
    const world = await createWorld();
    world.sandbox.google.addMailbox({ email: 'person@google.example', name: 'Person', timeZone: 'UTC' });
    const person = await begin(world);
    for (let count = 0; count < ANONYMOUS_FLOWS; count += 100) {
      await Promise.all(Array.from({ length: 100 }, () => begin(world)));
    }
    const back = await world.call('GET', await consent(world, person.location), {
      key: null,
      headers: { cookie: person.cookie },
    });
    expect(back.status).toBe(302);
    expect(new URL(back.headers.get('location') ?? '').searchParams.has('endUserAccountId')).toBe(true);
    await world.close();
  });
});
