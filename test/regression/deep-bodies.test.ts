import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, PROVIDERS, type World } from '../interface/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

it.each(PROVIDERS)('refuses values nested thousands deep, on $provider', async ({ provider }) => {
  const { accountId, calendarId } = await world.connect(provider);
  const path = `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
  const created = await world.call('POST', path, { body: { title: 'x', start: { dateTime: '2026-03-02T09:00:00Z' } } });
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  for (const field of ['title', 'webLink', 'id', 'conferenceData']) {
    for (const [method, target] of [
      ['PUT', `${path}/${encodeURIComponent(created.body.id)}`],
      ['POST', path],
    ] as const) {
      const refused = await world.call(method, target, { body: `{"${field}":${deep}}` });
      expect([refused.status, refused.body.details?.[0]?.path]).toEqual([400, field]);
    }
  }
});
