import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movableClock } from './movable-clock.ts';
import { body, type Connected, eventsPath, expectProblem, query, revoke, secondApplication } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

const MINUTE_MS = 60_000;
const clock = movableClock();
let world: World;
beforeAll(async () => {
  world = await createWorld({ clock });
});
afterAll(() => world.close());

describe.each(PROVIDERS)('descriptions of $providerType', ({ provider }) => {
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
  const put = async (id: string, sent: Json) => body(await world.call('PUT', path(id), { body: sent }));
  const describing = (id: string, format?: string) => world.call('GET', `${path(id)}/description${query({ format })}`);
  const contentOf = async (id: string, format: 'html' | 'text') => {
    const { content, ...rest } = body(await describing(id, format));
    expect(rest).toEqual({ format });
    return content;
  };
  const providerPath = (id: string) =>
    provider === 'google'
      ? `/calendars/${encodeURIComponent(account.calendarId)}/events/${encodeURIComponent(id)}`
      : `/me/events/${encodeURIComponent(id)}`;
  /** Writes HTML as a person does in the provider's own application. */
  const writeHtml = (id: string, html: string) =>
    world.atProvider(
      provider,
      account.email,
      'PATCH',
      providerPath(id),
      provider === 'google' ? { description: html } : { body: { contentType: 'html', content: html } },
    );
  /** HTML as the provider shows it: Graph makes a document of it. */
  const shown = (html: string) => (provider === 'google' ? html : `<html><head></head><body>${html}</body></html>`);
  const slots = (seriesId: string, ...days: readonly string[]) =>
    days.map((day) => `${seriesId}_202603${day}T090000Z`) as [string, string, string];

  it('a text is HTML when asked so, which is the default; without one the content is empty', async () => {
    const event = await create({ description: 'Ham & <eggs>\nTea' });
    const html = shown('Ham &amp; &lt;eggs&gt;<br>Tea');
    expect(body(await describing(event.id))).toEqual({ format: 'html', content: html });
    expect(await contentOf(event.id, 'html')).toBe(html);
    expect(await contentOf(event.id, 'text')).toBe('Ham & <eggs>\nTea');
    const empty = await create();
    for (const format of ['html', 'text'] as const) expect(await contentOf(empty.id, format)).toBe('');
  });

  it('markup is HTML as the provider has it, and its text has none; the provider is read each time', async () => {
    const event = await create({ description: 'Before' });
    const html = '<b>Bring</b> tea &amp; <i>cake</i><br>at 5';
    await writeHtml(event.id, html);
    expect(await contentOf(event.id, 'html')).toBe(shown(html));
    expect(await contentOf(event.id, 'text')).toBe('Bring tea & cake\nat 5');
    world.sandbox.requests.clear();
    await contentOf(event.id, 'html');
    expect(world.sandbox.requests.list()).toHaveLength(1);
    // A bold word changes no text at Graph, so that nothing but this resource shows it.
    clock.pass(MINUTE_MS);
    const { description } = await get(event.id);
    expect(description).toBe(provider === 'google' ? html : 'Bring tea & cake\nat 5');
  });

  it('an occurrence has that of its series until it gets its own; a deleted slot has that of its series', async () => {
    const series = await create({ recurrence: ['RRULE:FREQ=DAILY;COUNT=4'], description: 'Of all' });
    const [second, third, fourth] = slots(series.id, '03', '04', '05');
    await put(third, { description: 'Of one' });
    body(await world.call('DELETE', path(fourth)));
    await writeHtml(series.id, '<i>Of all</i>');
    expect(await contentOf(series.id, 'html')).toBe(shown('<i>Of all</i>'));
    expect(await contentOf(second, 'html')).toBe(shown('<i>Of all</i>'));
    expect(await contentOf(third, 'html')).toBe(shown('Of one'));
    expect(await contentOf(third, 'text')).toBe('Of one');
    expect(await contentOf(fourth, 'text')).toBe('Of all');
  });

  it('400 for another format or parameter', async () => {
    const event = await create();
    for (const format of ['markdown', 'HTML', '']) {
      expectProblem(await describing(event.id, format), 400, 'InvalidRequest', 'format');
    }
    expectProblem(await world.call('GET', `${path(event.id)}/description?timeZone=UTC`), 400, 'InvalidRequest');
  });

  it('404 for an event that is not there, that another application has, or that the provider has lost', async () => {
    expectProblem(await describing('unknown'), 404, 'NotFound');
    const event = await create({ description: 'Secret' });
    const { key } = await secondApplication(world);
    expectProblem(await world.call('GET', `${path(event.id)}/description`, { key }), 404, 'NotFound');
    await world.atProvider(provider, account.email, 'DELETE', providerPath(event.id));
    expectProblem(await describing(event.id), 404, 'NotFound');
  });

  it('the provider’s refusals are told', async () => {
    const event = await create({ description: 'There' });
    const headers = { 'retry-after': '300' };
    const fault = world.sandbox.faults.arm({ provider, kind: 'answer', status: 503, headers });
    expectProblem(await describing(event.id), 503, 'ProviderUnavailable');
    world.sandbox.faults.clear(fault.id);
    clock.pass(5 * MINUTE_MS);
    expect(await contentOf(event.id, 'text')).toBe('There');
  });

  it('409 for an account that has expired', async () => {
    const other = await world.connect(provider);
    const event = body(
      await world.call('POST', eventsPath(other), {
        body: { title: 'Event', start: { dateTime: '2026-03-02T09:00:00Z' }, description: 'There' },
      }),
      201,
    );
    await revoke(world, provider, other.email);
    const answer = await world.call('GET', `${eventsPath(other, event.id)}/description`);
    expectProblem(answer, 409, 'InvalidRefreshToken');
  });
});

describe('descriptions at Google', () => {
  let account: Connected;
  beforeAll(async () => {
    account = await world.connect('google');
  });
  it('a description that is longer than the mirrored part is told whole', async () => {
    const description = `${'a'.repeat(1_000_000)}<end>`;
    world.sandbox.google.controls['plantEvent']?.({
      calendarId: account.calendarId,
      event: {
        id: 'long1',
        summary: 'Long',
        description,
        start: { dateTime: '2026-03-02T09:00:00Z' },
        end: { dateTime: '2026-03-02T10:00:00Z' },
      },
    });
    clock.pass(MINUTE_MS);
    const event = body(await world.call('GET', eventsPath(account, 'long1')));
    expect(event.description).toHaveLength(1_000_000);
    const { content } = body(await world.call('GET', `${eventsPath(account, 'long1')}/description?format=text`));
    expect(content === description).toBe(true);
  });
});

describe('descriptions at Graph', () => {
  it('have the block of an online meeting, which the description of the event has not', async () => {
    const account = await world.connect('microsoft');
    const event = body(
      await world.call('POST', eventsPath(account), {
        body: {
          title: 'Meeting',
          start: { dateTime: '2026-03-02T09:00:00Z' },
          description: 'Plan',
          generateMeetingUrlProvider: 'teamsForBusiness',
        },
      }),
      201,
    );
    expect(event.description).toBe('Plan');
    const at = `${eventsPath(account, event.id)}/description`;
    const { content: html } = body(await world.call('GET', at));
    expect(html).toMatch(/<body>Plan.*<a href="https:\/\/teams\.example/s);
    const { content: text } = body(await world.call('GET', `${at}?format=text`));
    expect(text).toMatch(/^Plan.*____.*Join the meeting now/s);
  });
});
