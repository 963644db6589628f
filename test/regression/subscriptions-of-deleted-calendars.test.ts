import { describe, expect, it, onTestFinished } from 'vitest';
import { movableClock } from '../interface/movable-clock.ts';
import { body, calendarsPath, eventsPath } from '../interface/steps.ts';
import { type Json, PROVIDERS, type ProviderName } from '../interface/world.ts';
import { openReceiver } from '../webhooks/receiver.ts';
import { createInterceptedWorld } from './intercepted-world.ts';

/** Longer than a list is fresh here. */
const STALE_MS = 60_000;
const ABSENCE_MS = 600_000;

const NOT_FOUND = {
  google: { code: 404, message: 'Not Found', errors: [{ reason: 'notFound' }] },
  microsoft: { code: 'ErrorItemNotFound', message: 'The specified object was not found in the store.' },
};

/** An account with a calendar of its own that is mirrored and subscribed to. */
async function subscribed(provider: ProviderName) {
  const clock = movableClock();
  const { world, network } = await createInterceptedWorld({
    clock,
    sync: { readWaitMs: 60_000, freshWithPushMs: 30_000 },
  });
  onTestFinished(() => world.close());
  const receiver = await openReceiver();
  const { accountId, email } = await world.connect(provider);
  const { id } = body(await world.call('POST', calendarsPath(accountId), { body: { name: 'Club' } }), 201);
  const events = eventsPath({ accountId, calendarId: id });
  const subscriptions = `/v1/calendarSubscriptions/${accountId}`;
  const sent = { calendarId: id, webhookUrl: receiver.url };
  body(await world.call('POST', subscriptions, { body: sent }), 201);
  const { nextSyncToken } = body(await world.call('GET', events));

  /** The ids that the calendar list has once it has been read anew, so much later. */
  const listLater = async (ms: number): Promise<readonly string[]> => {
    clock.pass(ms);
    return body(await world.call('GET', calendarsPath(accountId))).data.map((calendar: Json) => calendar.id);
  };
  const subscriptionIds = async (): Promise<readonly string[]> =>
    body(await world.call('GET', subscriptions)).data.map((subscription: Json) => subscription.id);
  /** Resolves when the receiver has had its last message and the subscription is gone. */
  const ended = async () => {
    await receiver.wait(1);
    while ((await subscriptionIds()).length > 0);
    expect(receiver.received.map((each) => JSON.parse(each.body).eventType)).toEqual(['calendar.event.unknown']);
  };
  /** Lets the provider hide the calendar from its lists and answer 404 for it. */
  const hide = () => {
    network.intercept = async (request, pass) => {
      const { pathname, searchParams } = new URL(request.url);
      if (request.method !== 'GET') return pass();
      if (decodeURIComponent(pathname).endsWith(`/${id}`)) {
        return Response.json({ error: NOT_FOUND[provider] }, { status: 404 });
      }
      if (!/\/(calendarList|me\/calendars)$/.test(pathname)) return pass();
      const page = (await (await pass()).json()) as Json;
      const name = page.items === undefined ? 'value' : 'items';
      const others = page[name].filter((calendar: Json) => calendar.id !== id);
      return Response.json({
        ...page,
        [name]: searchParams.has('syncToken') ? [...others, { id, deleted: true }] : others,
      });
    };
  };
  /** Shows it again. A pull that is under way may have been answered before. */
  const show = async () => {
    network.intercept = (_request, pass) => pass();
    while (!(await listLater(STALE_MS)).includes(id));
  };
  return {
    world,
    accountId,
    email,
    id,
    events,
    nextSyncToken,
    receiver,
    listLater,
    subscriptionIds,
    ended,
    hide,
    show,
  };
}

describe.each(PROVIDERS)('a calendar of $providerType', ({ provider }) => {
  it('that is absent and 404 for a while keeps its subscription, its channel and its sync tokens', async () => {
    const world = await subscribed(provider);
    const before = await world.subscriptionIds();
    expect(before).toHaveLength(1);
    world.hide();
    expect(await world.listLater(STALE_MS)).not.toContain(world.id);
    expect((await world.world.call('GET', world.events)).status).toBe(404);
    expect(await world.subscriptionIds()).toEqual(before);
    await world.show();
    expect(await world.subscriptionIds()).toEqual(before);
    // It begins anew: a later absence is not added to the first.
    world.hide();
    expect(await world.listLater(ABSENCE_MS + STALE_MS)).not.toContain(world.id);
    expect(await world.subscriptionIds()).toEqual(before);
    await world.show();
    const since = await world.world.call('GET', `${world.events}?syncToken=${world.nextSyncToken}`);
    expect(body(since).data).toEqual([]);
    // No channel watched it meanwhile: subscribers hear of the gap.
    const told = new Set(world.receiver.received.map((each) => JSON.parse(each.body).eventType));
    expect([...told].filter((eventType) => eventType !== 'calendar.event.unknown')).toEqual([]);
  });

  it('that is absent from two complete lists ten minutes apart, and 404 by itself, ends its subscription', async () => {
    const world = await subscribed(provider);
    const path = provider === 'google' ? '/calendars/' : '/me/calendars/';
    await world.world.atProvider(provider, world.email, 'DELETE', `${path}${encodeURIComponent(world.id)}`);
    expect(await world.listLater(STALE_MS)).not.toContain(world.id);
    expect(await world.subscriptionIds()).toHaveLength(1);
    expect(await world.listLater(STALE_MS)).not.toContain(world.id);
    expect(await world.subscriptionIds()).toHaveLength(1);
    expect(await world.listLater(ABSENCE_MS)).not.toContain(world.id);
    await world.ended();
  });

  it('that we deleted ends its subscription at once', async () => {
    const world = await subscribed(provider);
    body(await world.world.call('DELETE', calendarsPath(world.accountId, world.id)));
    await world.ended();
    expect(await world.listLater(STALE_MS)).not.toContain(world.id);
  });
});
