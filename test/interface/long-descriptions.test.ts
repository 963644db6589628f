import { LONGEST_MIRRORED_DESCRIPTION, mirroredDescription } from 'kalends/ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { body, eventsPath } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type ProviderName, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  // A first pull of megabytes may take longer than reads wait by default, on a busy machine.
  world = await createWorld({ sync: { readWaitMs: 20_000 } });
});
afterAll(() => world.close());

const LONG = 'A line of text. '.repeat(75_000);
const EVENTS = { google: '/calendars/primary/events', microsoft: '/me/events' };
const TIME = { dateTime: '2027-03-02T09:00:00', timeZone: 'Europe/Berlin' };
const END = { dateTime: '2027-03-02T10:00:00', timeZone: 'Europe/Berlin' };

const SENT: Readonly<Record<ProviderName, Json>> = {
  google: { summary: 'Long', start: TIME, end: END, description: LONG },
  microsoft: { subject: 'Long', start: TIME, end: END, body: { contentType: 'text', content: LONG } },
};

it('the mirrored beginning ends in no half of a pair', () => {
  const before = 'x'.repeat(LONGEST_MIRRORED_DESCRIPTION - 1);
  expect(mirroredDescription(`${before}\u{1f600}y`)).toBe(before);
  expect(mirroredDescription(`x${before}\u{1f600}`)).toBe(`x${before}`);
  expect(mirroredDescription(`${before}y`)).toBe(`${before}y`);
});

describe.each(PROVIDERS)('a description of 1,200,000 characters at $provider', ({ provider }) => {
  async function arrange() {
    const at = await world.connect(provider);
    const { id } = await world.atProvider(provider, at.email, 'POST', EVENTS[provider], SENT[provider]);
    const path = eventsPath(at);
    /** Waits for the mirror, which is pulled when it is asked. */
    for (;;) {
      const { data } = body(await world.call('GET', path), 200);
      const shown = data.find(({ title }: Json) => title === 'Long');
      if (shown !== undefined) return { at, id, shown, path: eventsPath(at, shown.id) };
    }
  }
  async function kept(email: string, id: string): Promise<string> {
    const event = await world.atProvider(provider, email, 'GET', `${EVENTS[provider]}/${id}`);
    return provider === 'google' ? event.description : event.body.content;
  }

  it('shows its beginning', async () => {
    const { shown } = await arrange();
    expect(shown.description).toBe(LONG.slice(0, LONGEST_MIRRORED_DESCRIPTION));
  });

  it('stays whole at the provider when something else is written', async () => {
    const { at, id, path } = await arrange();
    const before = await kept(at.email, id);
    expect(before.length).toBeGreaterThanOrEqual(LONG.length);
    body(await world.call('PUT', path, { body: { title: 'Renamed', location: 'Here' } }), 200);
    expect(await kept(at.email, id)).toBe(before);
  });

  it('is replaced by another one', async () => {
    const { at, id, path } = await arrange();
    const answer = body(await world.call('PUT', path, { body: { description: 'short' } }), 200);
    expect(answer.description).toBe('short');
    expect(await kept(at.email, id)).toContain('short');
    expect((await kept(at.email, id)).length).toBeLessThan(1_000);
  });

  it('is never overwritten with its own beginning', async () => {
    const { at, id, shown, path } = await arrange();
    const before = await kept(at.email, id);
    const sent = { title: 'Renamed', description: shown.description };
    expect((await world.call('PUT', path, { body: sent })).status).toBe(413);
    // In the same process no body is too large: the beginning that is shown is no change of the description.
    const caller = { applicationId: world.applicationId };
    await world.engine.events.update(caller, at.accountId, at.calendarId, shown.id, sent);
    expect(await kept(at.email, id)).toBe(before);
  });
});

it('a description of 1,200,000 characters stays whole when its event becomes an online meeting', async () => {
  const at = await world.connect('microsoft');
  const { id } = await world.atProvider('microsoft', at.email, 'POST', EVENTS.microsoft, SENT.microsoft);
  const { data } = body(await world.call('GET', eventsPath(at)), 200);
  const sent = { generateMeetingUrlProvider: 'teamsForBusiness' };
  body(await world.call('PUT', eventsPath(at, data[0].id), { body: sent }), 200);
  const event = await world.atProvider('microsoft', at.email, 'GET', `${EVENTS.microsoft}/${id}`);
  expect(event.isOnlineMeeting).toBe(true);
  expect(event.body.content).toContain(LONG.trimEnd());
});
