import { createSandbox, type Sandbox } from '@kalends/sandbox';
import { beforeEach, describe, expect, it } from 'vitest';
import { ADA, CHARLES, type Json, NOW } from './google/harness.ts';

const PEOPLE = {
  google: { owner: ADA, other: CHARLES },
  microsoft: { owner: 'grace@outlook.example', other: 'howard@outlook.example' },
  caldav: { owner: 'katherine@caldav.example', other: 'dorothy@caldav.example' },
} as const;

describe.each(['google', 'microsoft', 'caldav'] as const)('the mailbox controls of %s', (provider) => {
  const { owner, other } = PEOPLE[provider];
  const zone = 'Europe/London';
  let sandbox: Sandbox;
  let posts: string[];

  beforeEach(() => {
    posts = [];
    const receive = (async (input: URL | string | Request) => {
      const url = new URL(input instanceof Request ? input.url : input);
      posts.push(url.pathname);
      return new Response(url.searchParams.get('validationToken'), { headers: { 'content-type': 'text/plain' } });
    }) as typeof fetch;
    sandbox = createSandbox({ seed: 5, clock: { now: () => NOW }, fetch: receive });
    for (const email of [owner, other]) sandbox[provider].addMailbox({ email, name: email, timeZone: zone });
  });

  async function send(method: string, path: string, body?: Json): Promise<{ status: number; body: Json }> {
    const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await sandbox.fetch(new Request(`http://sandbox.test/_sandbox/${provider}${path}`, init));
    return { status: response.status, body: await response.json() };
  }

  const events = (email: string, rest = '') => `/mailboxes/${email}/events${rest}`;
  const listOf = async (email: string): Promise<Json[]> => {
    const { body } = await send('GET', events(email, '?from=2026-03-01T00:00:00Z&to=2026-03-31T00:00:00Z'));
    return body.events;
  };
  const create = async (fields: Json): Promise<Json> => {
    const made = await send('POST', events(owner), { title: 'Tea', start: '2026-03-03T15:00', ...fields });
    expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 });
    return made.body;
  };

  it('names the calendars and the zone of a mailbox', async () => {
    const { body } = await send('GET', `/mailboxes/${owner}/calendars`);
    expect(body).toMatchObject({ timeZone: zone, calendars: [{ isPrimary: true, canEdit: true }] });
  });

  it('creates, moves, renames and deletes an event', async () => {
    const made = await create({ location: 'Room 3' });
    expect(made).toMatchObject({
      title: 'Tea',
      location: 'Room 3',
      start: '2026-03-03T15:00:00',
      end: '2026-03-03T16:00:00',
      timeZone: zone,
      isAllDay: false,
      isOrganizer: true,
      seriesId: null,
      recurrence: [],
      attendees: [],
      myAnswer: null,
    });
    await send('PATCH', events(owner, `/${made.id}`), { start: '2026-03-03T15:00', end: '2026-03-03T15:20' });
    const moved = await send('PATCH', events(owner, `/${made.id}`), { title: 'Late tea', start: '2026-03-04T18:00' });
    expect(moved.body).toMatchObject({
      title: 'Late tea',
      location: 'Room 3',
      start: '2026-03-04T18:00:00',
      end: '2026-03-04T18:20:00',
    });
    const newYork = await send('GET', events(owner, `/${made.id}?timeZone=America/New_York`));
    expect(newYork.body).toMatchObject({ start: '2026-03-04T13:00:00', timeZone: 'America/New_York' });
    expect(await listOf(owner)).toMatchObject([{ id: made.id, title: 'Late tea' }]);
    expect((await send('DELETE', events(owner, `/${made.id}`))).status).toBe(200);
    expect(await listOf(owner)).toEqual([]);
  });

  it('turns a timed event into an all-day one and back', async () => {
    const made = await create({});
    const path = events(owner, `/${made.id}`);
    expect((await send('PATCH', path, { start: '2026-03-05' })).body).toMatchObject({
      isAllDay: true,
      start: '2026-03-05',
      end: '2026-03-06',
    });
    expect((await send('PATCH', path, { start: '2026-03-05T09:00' })).body).toMatchObject({
      isAllDay: false,
      end: '2026-03-05T10:00:00',
    });
  });

  it('changes one occurrence of a series, deletes another, and then the whole series', async () => {
    const made = await create({ recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=4'] });
    expect(made.recurrence).toEqual(['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=4']);
    const [first, second] = await listOf(owner);
    expect(first).toMatchObject({ seriesId: made.id, start: '2026-03-03T15:00:00', recurrence: [] });
    await send('PATCH', events(owner, `/${first.id}`), { start: '2026-03-03T16:30', title: 'Tea, later' });
    await send('DELETE', events(owner, `/${second.id}`));
    const shown = (await listOf(owner)).map(({ title, start }) => `${start} ${title}`);
    expect(shown).toEqual(['2026-03-03T16:30:00 Tea, later', '2026-03-17T15:00:00 Tea', '2026-03-24T15:00:00 Tea']);
    await send('DELETE', events(owner, `/${made.id}`));
    expect(await listOf(owner)).toEqual([]);
  });

  it('changes and ends the rule of a series', async () => {
    const made = await create({ recurrence: ['RRULE:FREQ=DAILY;COUNT=9'] });
    const path = events(owner, `/${made.id}`);
    await send('PATCH', path, { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] });
    expect(await listOf(owner)).toHaveLength(2);
    await send('PATCH', path, { recurrence: [] });
    expect(await listOf(owner)).toMatchObject([{ id: made.id, seriesId: null }]);
  });

  it('invites the other mailbox, which answers, and keeps the answer when a guest is added', async () => {
    const made = await create({ attendees: [other] });
    const [invitation] = await listOf(other);
    expect(invitation).toMatchObject({ title: 'Tea', isOrganizer: false, organizer: owner, myAnswer: 'needsAction' });
    expect((await send('POST', events(other, `/${invitation.id}/answer`), { answer: 'tentative' })).status).toBe(200);
    await send('PATCH', events(owner, `/${made.id}`), { attendees: [other, 'mary@example.org'] });
    const { body } = await send('GET', events(owner, `/${made.id}`));
    expect(body.attendees).toEqual([
      { email: other, answer: 'tentative' },
      { email: 'mary@example.org', answer: 'needsAction' },
    ]);
    expect((await listOf(other))[0]).toMatchObject({ myAnswer: 'tentative' });
  });

  /** CalDAV has no push. */
  if (provider !== 'caldav')
    it('sends push notifications for each of these changes', async () => {
      const token = await sandbox.accessToken({ provider, email: owner });
      const [path, body] =
        provider === 'google'
          ? [
              '/google/calendar/v3/calendars/primary/events/watch',
              { id: 'c1', type: 'web_hook', address: 'http://app.test/push' },
            ]
          : [
              '/microsoft/v1.0/subscriptions',
              {
                changeType: 'created,updated,deleted',
                notificationUrl: 'http://app.test/push',
                resource: 'me/events',
                expirationDateTime: new Date(NOW + 3_600_000).toISOString(),
              },
            ];
      const opened = await sandbox.fetch(
        new Request(`http://sandbox.test${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      );
      expect(opened.ok).toBe(true);
      const newPosts = async (): Promise<number> => {
        await sandbox.notifications.idle();
        return posts.splice(0).length;
      };
      await newPosts();
      const made = await create({});
      expect(await newPosts()).toBeGreaterThan(0);
      await send('PATCH', events(owner, `/${made.id}`), { title: 'Coffee' });
      expect(await newPosts()).toBeGreaterThan(0);
      await send('DELETE', events(owner, `/${made.id}`));
      expect(await newPosts()).toBeGreaterThan(0);
      expect(sandbox.requests.list()).toHaveLength(1);
    });

  it('ends the grant of an application at once, and keeps its own access', async () => {
    if (provider === 'caldav') {
      sandbox.caldav.addAppPassword({ email: owner });
    } else {
      sandbox[provider].addClient({ clientId: 'app', clientSecret: 'hush', redirectUris: [] });
      sandbox[provider].issueRefreshToken({ email: owner, clientId: 'app' });
    }
    await create({});
    expect((await send('POST', `/mailboxes/${owner}/revoke`)).body.revoked).toBeGreaterThan(0);
    expect(await listOf(owner)).toHaveLength(1);
  });

  it('needs one token for many calls', async () => {
    const before = JSON.stringify(sandbox[provider].snapshot()).length;
    await listOf(owner);
    const after = JSON.stringify(sandbox[provider].snapshot()).length;
    for (let round = 0; round < 20; round += 1) await listOf(owner);
    expect(JSON.stringify(sandbox[provider].snapshot())).toHaveLength(after);
    expect(after).toBeGreaterThan(before);
  });

  it.each([
    ['GET', '/mailboxes/nobody@example.org/calendars', undefined, /^email: no mailbox nobody@example\.org; there are /],
    ['GET', events(owner), undefined, /from: .*; to: /],
    ['GET', events(owner, '?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z'), undefined, /^to: must be after from/],
    ['POST', events(owner), { title: 'Tea' }, /^start: /],
    ['POST', events(owner), { start: 'soon' }, /^start: must be YYYY-MM-DDTHH:MM, or YYYY-MM-DD/],
    [
      'POST',
      events(owner),
      { start: '2026-03-03', end: '2026-03-04T10:00' },
      /^end: must be a date where start is one/,
    ],
    ['POST', events(owner), { start: '2026-03-03T10:00', end: '2026-03-03T09:00' }, /^end: must be after start/],
    ['POST', events(owner), { start: '2026-03-03T10:00', timeZone: 'Mars/Base' }, /^timeZone: must be an IANA name/],
    ['POST', events(owner), { start: '2026-03-03T10:00', attendees: ['Mary'] }, /^attendees\.0: /],
    ['POST', events(owner), { start: '2026-03-03T10:00', colour: 'red' }, /colour/],
    ['PATCH', events(owner, '/nothing'), { title: 'Tea' }, /^id: the provider answers 40[04] /],
    ['POST', events(owner, '/nothing/answer'), { answer: 'maybe' }, /^answer: /],
  ] as const)('refuses %s %s', async (method, path, body, message) => {
    const answer = await send(method, path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(message);
  });
});

it('names the rule that Microsoft cannot hold', async () => {
  const sandbox = createSandbox({ clock: { now: () => NOW } });
  sandbox.microsoft.addMailbox({ email: 'grace@outlook.example', name: 'Grace', timeZone: 'UTC' });
  const response = await sandbox.fetch(
    new Request('http://sandbox.test/_sandbox/microsoft/mailboxes/grace@outlook.example/events', {
      method: 'POST',
      body: JSON.stringify({ start: '2026-03-03T10:00', recurrence: ['RRULE:FREQ=DAILY;BYMONTH=3'] }),
    }),
  );
  expect(response.status).toBe(400);
  expect(((await response.json()) as Json).error.message).toMatch(/^recurrence: /);
});

it('follows the clock of its host, which alone turns it', async () => {
  let now = NOW;
  const steps: number[] = [];
  const clock = {
    now: () => now,
    advance(ms: number) {
      if (ms > 1_000) throw new RangeError('ms: must be at most a second here');
      steps.push(ms);
      now += ms;
    },
  };
  const sandbox = createSandbox({ clock });
  const post = async (path: string, body: Json) => {
    const request = new Request(`http://sandbox.test/_sandbox/clock/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    const response = await sandbox.fetch(request);
    return [response.status, await response.json()] as const;
  };
  expect(await post('advance', { ms: 500 })).toEqual([
    200,
    { epochMs: NOW + 500, iso: new Date(NOW + 500).toISOString() },
  ]);
  expect(await post('advance', { ms: 2_000 })).toEqual([
    400,
    { error: { message: 'ms: must be at most a second here' } },
  ]);
  expect((await post('freeze', {}))[1]).toMatchObject({ error: { message: expect.stringMatching(/^at: .*frozen/) } });
  sandbox.reset();
  expect([sandbox.clock.now(), steps]).toEqual([NOW + 500, [500]]);
});
