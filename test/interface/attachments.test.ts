import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movableClock } from './movable-clock.ts';
import { eventAttachments } from './shapes.ts';
import { body, type Connected, eventsPath, expectProblem, readAll } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

const MINUTE_MS = 60_000;
const clock = movableClock();
let world: World;
beforeAll(async () => {
  world = await createWorld({ clock });
});
afterAll(() => world.close());

describe.each(PROVIDERS)('attachments of $providerType', ({ provider }) => {
  let account: Connected;
  beforeAll(async () => {
    account = await world.connect(provider);
  });
  const path = (id?: string) => eventsPath(account, id);
  const create = async (fields: Json = {}) =>
    body(
      await world.call('POST', path(), {
        body: { title: 'Event', start: { dateTime: '2026-03-02T09:00:00Z' }, ...fields },
      }),
      201,
    );
  const get = async (id: string) => body(await world.call('GET', path(id)));
  const list = (id: string) => world.call('GET', `${path(id)}/attachments`);
  const namesOf = async (id: string) => body(await list(id)).data.map(({ name }: Json) => name);
  const put = async (id: string, sent: Json) => body(await world.call('PUT', path(id), { body: sent }));
  const attach = (eventId: string, name: string, more: Json = {}) => {
    const { email, calendarId } = account;
    const attachment = { fileUrl: `https://drive.google.com/open?id=${name}`, title: name, ...more };
    const input = provider === 'google' ? { calendarId, attachment } : { email, calendarId, name, ...more };
    return world.sandbox[provider].controls['addAttachment']?.({ eventId, ...input }) as Json;
  };
  /** The provider's own id of a slot. */
  const instanceId = async (seriesId: string, day: string) => {
    if (provider === 'google') return `${seriesId}_${day.replaceAll('-', '')}T090000Z`;
    const window = `startDateTime=${day}T00:00:00Z&endDateTime=${day}T23:00:00Z`;
    const at = `/me/calendars/${encodeURIComponent(account.calendarId)}/events/${encodeURIComponent(seriesId)}`;
    const { value } = await world.atProvider(provider, account.email, 'GET', `${at}/instances?${window}`);
    return value[0].id;
  };

  it('are shown as the provider has them', async () => {
    const event = await create();
    expect(event.hasAttachments).toBe(false);
    expect(body(await list(event.id))).toEqual({ data: [] });
    if (provider === 'google') {
      attach(event.id, 'Plan.pdf', {
        mimeType: 'application/pdf',
        fileId: 'file-1',
        iconLink: 'https://icons.example',
      });
      attach(event.id, 'Elsewhere');
      expect(body(await list(event.id)).data).toEqual([
        {
          id: 'file-1',
          name: 'Plan.pdf',
          contentType: 'application/pdf',
          size: null,
          isInline: false,
          url: 'https://drive.google.com/open?id=Plan.pdf',
        },
        {
          id: 'https://drive.google.com/open?id=Elsewhere',
          name: 'Elsewhere',
          contentType: null,
          size: null,
          isInline: false,
          url: 'https://drive.google.com/open?id=Elsewhere',
        },
      ]);
    } else {
      const file = { name: 'Plan.pdf', contentType: 'application/pdf', size: 1234, isInline: false };
      const picture = { name: 'Logo.png', contentType: 'image/png', size: 99, isInline: true };
      const { attachmentId } = attach(event.id, 'Plan.pdf', file);
      attach(event.id, 'Logo.png', picture);
      attach(event.id, 'Minutes', { kind: 'item', size: 7 });
      attach(event.id, 'Sheet', { kind: 'reference' });
      expect(body(await list(event.id)).data).toEqual([
        { id: attachmentId, ...file, url: null },
        { id: expect.any(String), ...picture, url: null },
        { id: expect.any(String), name: 'Minutes', contentType: null, size: 7, isInline: false, url: null },
        { id: expect.any(String), name: 'Sheet', contentType: null, size: 0, isInline: false, url: null },
      ]);
    }
    expect(eventAttachments(body(await list(event.id)))).toBeUndefined();
    clock.pass(MINUTE_MS);
    expect((await get(event.id)).hasAttachments).toBe(true);
  });

  it('are read when asked, not with each pull, and are a change of a sync result when the first one comes', async () => {
    const event = await create();
    const { nextSyncToken } = await readAll(world, path());
    const isListing = ({ path: asked }: Json) => /attachments/.test(asked);
    world.sandbox.requests.clear();
    attach(event.id, 'One.txt');
    expect(await namesOf(event.id)).toEqual(['One.txt']);
    clock.pass(MINUTE_MS);
    const { data } = await readAll(world, path(), { syncToken: nextSyncToken });
    expect(data).toEqual([expect.objectContaining({ id: event.id, hasAttachments: true })]);
    const listings = world.sandbox.requests.list().filter(isListing);
    expect(listings).toHaveLength(provider === 'google' ? 0 : 1);
    expect((await get(event.id)).etag).not.toBe(event.etag);
    for (const { query } of listings) expect(query).toContain(encodeURIComponent('id,name,contentType,size,isInline'));
  });

  it('an occurrence has those of its series, and its own', async () => {
    const series = await create({ recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] });
    attach(series.id, 'All.txt');
    clock.pass(MINUTE_MS);
    const [second, third, fourth] = ['03', '04', '05'].map((day) => `${series.id}_202603${day}T090000Z`) as [
      string,
      string,
      string,
    ];
    expect((await get(second)).hasAttachments).toBe(true);
    expect(await namesOf(second)).toEqual(['All.txt']);
    attach(await instanceId(series.id, '2026-03-04'), 'One.txt');
    clock.pass(MINUTE_MS);
    expect(await namesOf(third)).toEqual(['All.txt', 'One.txt']);
    expect(await namesOf(second)).toEqual(['All.txt']);
    body(await world.call('DELETE', path(fourth)));
    expect(await get(fourth)).toMatchObject({ isCancelled: true, hasAttachments: true });
    expect(await namesOf(fourth)).toEqual(['All.txt']);
  });

  it('stay when the event is changed; hasAttachments in a body says nothing', async () => {
    const event = await create();
    attach(event.id, 'Kept.txt');
    clock.pass(MINUTE_MS);
    const before = await get(event.id);
    expect(await put(event.id, before)).toEqual(before);
    expect(await put(event.id, { hasAttachments: false, title: 'Renamed', location: 'There' })).toMatchObject({
      title: 'Renamed',
      hasAttachments: true,
    });
    expect(await namesOf(event.id)).toEqual(['Kept.txt']);
    expect((await create({ hasAttachments: true })).hasAttachments).toBe(false);
  });

  it('404 for an event that is not there, or that the provider has lost meanwhile', async () => {
    expectProblem(await list('unknown'), 404, 'NotFound');
    const event = await create();
    const at =
      provider === 'google'
        ? `/calendars/${encodeURIComponent(account.calendarId)}/events/${event.id}`
        : `/me/events/${encodeURIComponent(event.id)}`;
    await world.atProvider(provider, account.email, 'DELETE', at);
    expectProblem(await list(event.id), 404, 'NotFound');
  });

  it('the provider’s refusals are told', async () => {
    const event = await create();
    const headers = { 'retry-after': '300' };
    const fault = world.sandbox.faults.arm({ provider, kind: 'answer', status: 503, headers });
    expectProblem(await list(event.id), 503, 'ProviderUnavailable');
    world.sandbox.faults.clear(fault.id);
    clock.pass(5 * MINUTE_MS);
    expect(body(await list(event.id))).toEqual({ data: [] });
  });
});
