import type { Fetch } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { composeEngine } from '../../src/compose-engine.ts';
import { resolveOptions } from '../../src/resolve-options.ts';
import { dice } from '../simulation/dice.ts';
import { startProcess } from '../simulation/process.ts';
import { createSimulatedWorld, engineOptionsOn, type SimulatedWorld } from '../simulation/world.ts';
import { sizeOf } from '../size-of.ts';
import { channelLedger } from './channel-ledger.ts';

const DAYS = 30;
const CALENDARS = sizeOf('calendars', { short: 60, long: 300 });
const FAILING_SHARE = 0.1;
/** No calendar is uncovered for longer: the poll interval beside a living channel. */
const POLL_INTERVAL_MS = 900_000;
const DAY_MS = 86_400_000;

describe.each(['google', 'microsoft'] as const)('push channels of %s over a month', (provider) => {
  it('cover every calendar although one renewal in ten fails', { timeout: 900_000 }, async () => {
    const world = await createSimulatedWorld({ provider, seed: 1 });
    const random = dice(1);
    let failed = 0;
    let attempts = 0;
    let isFailing = false;
    const ledger = channelLedger(world.reach, world.time.now);
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
      return await ledger.fetch(request);
    };
    const stopping = new AbortController();
    let upkeep: Promise<void> | undefined;
    try {
      for (let number = 2; number < CALENDARS; number++) await addCalendar(world, number);
      const options = engineOptionsOn({
        // Its ports let time wait for what happens outside of the clock, such as identity tokens verified by threads.
        ...startProcess({ storage: world.storage, fetch: unsteady, time: world.time, fate: () => 'goes on' }),
        seed: 3,
        sync: { channelLifetimeMs: 6 * DAY_MS },
      });
      const { channels, services } = composeEngine(resolveOptions(options));
      world.setReceiver(async (request) => {
        const { response } = await services.push.receive(new URL(request.url).pathname.split('/').pop()!, request);
        return response;
      });
      const caller = { applicationId: world.applicationId };
      const calendarIds = await listCalendarIds(world, services);
      expect(calendarIds.length).toBeGreaterThanOrEqual(CALENDARS);
      for (const calendarId of calendarIds) {
        const body = { calendarId, webhookUrl: 'http://127.0.0.1:8080/hook' };
        await world.time.until(services.subscriptions.create(caller, world.accountId, body));
        // Google takes 600 calls of a mailbox in a minute.
        await world.time.pass(500);
      }
      isFailing = true;
      const from = world.time.now();
      upkeep = channels.run(stopping.signal);
      await world.time.pass(DAYS * DAY_MS);
      const gaps = calendarIds.map((id) => ledger.longestGapMs(id, from, world.time.now()));
      expect(Math.max(...gaps)).toBeLessThanOrEqual(POLL_INTERVAL_MS);
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

async function listCalendarIds(
  world: SimulatedWorld,
  { calendars }: ReturnType<typeof composeEngine>['services'],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let pageToken: string | undefined; ; ) {
    const query = { limit: '250', ...(pageToken === undefined ? {} : { pageToken }) };
    const page = await world.time.until(calendars.list({ applicationId: world.applicationId }, world.accountId, query));
    ids.push(...page.data.map(({ id }) => id));
    if (page.nextPageToken === undefined) return ids;
    pageToken = page.nextPageToken;
  }
}
