import type { Fetch } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { composeRooms } from '../../src/engine-rooms.ts';
import { resolveOptions } from '../../src/resolve-options.ts';
import { dice } from '../simulation/dice.ts';
import type { Json } from '../simulation/person.ts';
import { createSimulatedWorld, engineOptionsOn, type SimulatedWorld } from '../simulation/world.ts';

const DAYS = 30;
const CALENDARS = 40;
const FAILING_SHARE = 0.1;
/** How often coverage is looked at: the poll interval beside a living channel. */
const POLL_INTERVAL_MS = 900_000;
const DAY_MS = 86_400_000;

describe.each(['google', 'microsoft'] as const)('push channels of %s over a month', (provider) => {
  it('cover every calendar although one renewal in ten fails', { timeout: 300_000 }, async () => {
    const world = await createSimulatedWorld({ provider, seed: 1 });
    const random = dice(1);
    let failed = 0;
    let attempts = 0;
    let isFailing = false;
    const unsteady: Fetch = async (input, init) => {
      const request = new Request(input, init);
      const isRenewal = /watch|subscriptions/.test(request.url) && request.method !== 'DELETE';
      if (isRenewal && isFailing) {
        attempts += 1;
        if (random.chance(FAILING_SHARE)) {
          failed += 1;
          return Response.json({ error: { code: 503, message: 'injected' } }, { status: 503 });
        }
      }
      return await world.reach(request);
    };
    const stopping = new AbortController();
    let upkeep: Promise<void> | undefined;
    try {
      for (let number = 2; number < CALENDARS; number++) await addCalendar(world, number);
      const options = engineOptionsOn({
        storage: world.storage,
        fetch: unsteady,
        clock: world.time,
        seed: 2,
        sync: { channelLifetimeMs: 6 * DAY_MS },
      });
      const { channels, services } = composeRooms(resolveOptions(options));
      world.setReceiver((request) => services.push.receive(new URL(request.url).pathname.split('/').pop()!, request));
      const caller = { applicationId: world.applicationId };
      const { data } = await world.time.until(services.calendars.list(caller, world.accountId, { limit: '250' }));
      const calendarIds = data.map(({ id }) => id);
      expect(calendarIds.length).toBeGreaterThanOrEqual(CALENDARS);
      for (const calendarId of calendarIds) {
        const body = { calendarId, webhookUrl: 'http://127.0.0.1:8080/hook' };
        await world.time.until(services.subscriptions.create(caller, world.accountId, body));
      }
      isFailing = true;
      upkeep = channels.run(stopping.signal);
      for (let left = (DAYS * DAY_MS) / POLL_INTERVAL_MS; left > 0; left--) {
        await world.time.pass(POLL_INTERVAL_MS);
        const living = livingChannels(world);
        expect(calendarIds.filter((id) => !living.some((resource) => resource.includes(id)))).toEqual([]);
      }
      expect(attempts).toBeGreaterThan(CALENDARS * 5);
      expect(failed).toBeGreaterThan(attempts / 20);
    } finally {
      stopping.abort(new Error('over'));
      await upkeep;
      await world.close();
    }
  });
});

async function addCalendar({ person, provider }: SimulatedWorld, number: number): Promise<void> {
  if (provider === 'google') await person.call('POST', '/calendars', { summary: `Calendar ${number}` });
  else await person.call('POST', '/me/calendars', { name: `Calendar ${number}` });
}

/** What the provider watches at this time, by the names it has for it. */
function livingChannels({ sandbox, provider, time }: SimulatedWorld): readonly string[] {
  const state: Json = sandbox[provider].snapshot();
  const channels: readonly Json[] = Object.values(provider === 'google' ? state.channels : state.subscriptions);
  return channels.filter(({ expiresAt }) => expiresAt > time.now()).map(({ resource }) => decodeURIComponent(resource));
}
