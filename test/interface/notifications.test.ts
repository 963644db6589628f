import { createClient } from '@kalends/client';
import type { SentMail } from '@kalends/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { body, type Connected, eventsPath, expectProblem, query } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type ProviderName, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const OUTSIDER = 'ann@else.example';
const BERLIN = 'Europe/Berlin';
const TIMES = {
  start: { dateTime: '2026-03-02T09:00:00', timeZone: BERLIN },
  end: { dateTime: '2026-03-02T10:00:00', timeZone: BERLIN },
};
const DAILY = ['RRULE:FREQ=DAILY;COUNT=5'];
const THIRD = '20260304T080000Z';

const mailsOf = (provider: ProviderName): SentMail[] =>
  world.sandbox[provider].controls['listMails']?.({}) as SentMail[];

describe.each(PROVIDERS)('mail to attendees of $providerType', ({ provider }) => {
  const isGoogle = provider === 'google';
  let account: Connected;
  let guest: Connected;
  let seen: number;
  beforeAll(async () => {
    account = await world.connect(provider);
    guest = await world.connect(provider);
  });
  beforeEach(() => {
    seen = mailsOf(provider).length;
  });

  /** The mails since the last question, as `kind to`. */
  const mails = () => {
    const all = mailsOf(provider);
    const fresh = all.slice(seen).map(({ kind, to }) => `${kind} ${to}`);
    seen = all.length;
    return [...new Set(fresh)].sort();
  };
  const toAll = (kind: string) => [`${kind} ${OUTSIDER}`, `${kind} ${guest.email}`].sort();
  const attendees = () => [{ email: guest.email }, { email: OUTSIDER }];
  const post = (notifyAttendees: string | undefined, fields: Json = {}, headers = {}) =>
    world.call('POST', `${eventsPath(account)}${query({ notifyAttendees })}`, {
      body: { title: 'Meeting', ...TIMES, attendees: attendees(), ...fields },
      headers,
    });
  const create = async (notifyAttendees?: string, fields: Json = {}) => body(await post(notifyAttendees, fields), 201);
  const put = (id: string, sent: Json, parameters: Record<string, string | undefined> = {}) =>
    world.call('PUT', `${eventsPath(account, id)}${query(parameters)}`, { body: sent });
  const remove = (id: string, parameters: Record<string, string | undefined> = {}) =>
    world.call('DELETE', `${eventsPath(account, id)}${query(parameters)}`);
  const refused = (answer: Parameters<typeof expectProblem>[0]) => {
    expectProblem(answer, 422, 'UnsupportedByProvider', 'notifyAttendees');
    expect(mails()).toEqual([]);
  };

  it('a new event invites everyone, unless told otherwise', async () => {
    await create();
    expect(mails()).toEqual(toAll('invitation'));
    await create('all');
    expect(mails()).toEqual(toAll('invitation'));
    if (!isGoogle) {
      const before = body(await world.call('GET', eventsPath(account))).data.length;
      refused(await post('none'));
      refused(await post('external'));
      expect(body(await world.call('GET', eventsPath(account))).data).toHaveLength(before);
      return;
    }
    await create('external');
    expect(mails()).toEqual([`invitation ${OUTSIDER}`]);
    await create('none');
    expect(mails()).toEqual([]);
  });

  it('an event without guests mails no one, whatever is asked for', async () => {
    for (const notifyAttendees of ['all', 'external', 'none']) {
      const event = await create(notifyAttendees, { attendees: [] });
      body(await put(event.id, { title: 'Alone' }, { notifyAttendees }));
      body(await remove(event.id, { notifyAttendees }));
    }
    expect(mails()).toEqual([]);
  });

  it('a change that guests see is mailed by itself', async () => {
    const event = await create();
    for (const change of [{ title: 'Moved' }, { location: 'There' }, { description: 'New' }, { recurrence: DAILY }]) {
      mails();
      body(await put(event.id, change));
      expect(mails(), JSON.stringify(change)).toEqual(toAll('update'));
    }
    body(await put(event.id, { attendees: [{ email: OUTSIDER }] }));
    expect(mails()).toContain(`cancellation ${guest.email}`);
  });

  it('a colour, reminders, extended properties and the like are no reason to mail', async () => {
    const event = await create();
    mails();
    for (const change of [
      { colorId: '2' },
      { customColor: '#123456' },
      { privateExtendedProperties: { a: '1' } },
      { publicExtendedProperties: { a: '1' } },
      { transparency: 'transparent' },
      { reminders: { useDefault: false, isReminderOn: true, overrides: [{ method: 'popup', minutes: 5 }] } },
      // Sent back as it was read.
      { title: event.title, location: event.location, start: event.start, end: event.end, colorId: '3' },
    ]) {
      const now = body(await put(event.id, change));
      expect(mails(), JSON.stringify(change)).toEqual([]);
      body(await put(event.id, { colorId: '4', title: now.title }, { notifyAttendees: 'none' }));
      expect(mails()).toEqual([]);
    }
  });

  it('an update and a deletion mail those who are asked for', async () => {
    const event = await create();
    mails();
    if (!isGoogle) {
      refused(await put(event.id, { title: 'Quiet' }, { notifyAttendees: 'none' }));
      refused(await put(event.id, { isCancelled: true }, { notifyAttendees: 'none' }));
      refused(await remove(event.id, { notifyAttendees: 'external' }));
      expect(body(await world.call('GET', eventsPath(account, event.id))).title).toBe('Meeting');
    } else {
      body(await put(event.id, { title: 'Quiet' }, { notifyAttendees: 'none' }));
      expect(mails()).toEqual([]);
      body(await put(event.id, { title: 'Outside' }, { notifyAttendees: 'external' }));
      expect(mails()).toEqual([`update ${OUTSIDER}`]);
      const other = await create('none');
      body(await remove(other.id, { notifyAttendees: 'none' }));
      expect(mails()).toEqual([]);
    }
    body(await remove(event.id));
    expect(mails()).toEqual(toAll('cancellation'));
  });

  it.each(['following', 'all'])('an edit of a series with scope %s mails as it is told', async (scope) => {
    const series = await create('all', { recurrence: DAILY });
    const third = `${series.id}_${THIRD}`;
    mails();
    const moved = { start: { dateTime: '2026-03-04T11:00:00' }, end: { dateTime: '2026-03-04T12:00:00' } };
    if (isGoogle) {
      body(await put(third, { title: 'Quiet', ...moved }, { scope, notifyAttendees: 'none' }));
      expect(mails()).toEqual([]);
      return;
    }
    refused(await put(third, { title: 'Quiet', ...moved }, { scope, notifyAttendees: 'none' }));
    expect(body(await world.call('GET', eventsPath(account, series.id)))).toEqual(series);
    body(await put(third, { title: 'Loud', ...moved }, { scope, notifyAttendees: 'all' }));
    expect(mails()).toEqual(expect.arrayContaining(toAll(scope === 'all' ? 'update' : 'invitation')));
  });

  it('an occurrence mails as it is told, cancelled and brought back too', async () => {
    const series = await create('all', { recurrence: DAILY });
    const third = `${series.id}_${THIRD}`;
    mails();
    if (isGoogle) {
      const quiet = { notifyAttendees: 'none' };
      body(await put(third, { title: 'Quiet' }, quiet));
      body(await remove(third, quiet));
      body(await put(third, { isCancelled: false }, quiet));
      expect(mails()).toEqual([]);
    } else {
      refused(await put(third, { title: 'Quiet' }, { notifyAttendees: 'none' }));
      refused(await remove(third, { notifyAttendees: 'none' }));
      body(await remove(third));
      mails();
      refused(await put(third, { isCancelled: false }, { notifyAttendees: 'none' }));
    }
    body(await put(`${series.id}_20260305T080000Z`, { title: 'Loud' }));
    expect(mails()).toEqual(toAll('update'));
  });

  it('an answer goes to the organizer, or to no one', async () => {
    const event = await create();
    const own = body(await world.call('GET', eventsPath(guest))).data.find(
      ({ iCalUid }: Json) => iCalUid === event.iCalUid,
    );
    const answer = (responseStatus: string, notifyAttendees?: string) =>
      world.call('POST', `${eventsPath(guest, own.id)}/rsvp${query({ notifyAttendees })}`, {
        body: { responseStatus },
      });
    mails();
    body(await answer('tentative', 'none'));
    expect(mails()).toEqual([]);
    body(await answer('accepted'));
    expect(mails()).toEqual([`answer ${account.email}`]);
    if (!isGoogle) refused(await answer('tentative', 'external'));
    const after = body(await world.call('GET', eventsPath(guest, own.id)));
    expect(after.myResponseStatus).toBe('accepted');
  });

  it('an Idempotency-Key stands for the choice as well', async () => {
    const headers = { 'idempotency-key': `mail-${provider}` };
    const first = body(await post('all', {}, headers), 201);
    expect(mails()).toEqual(toAll('invitation'));
    expect(body(await post('all', {}, headers), 201)).toEqual(first);
    expect(mails()).toEqual([]);
    expectProblem(await post('none', {}, headers), 409, 'IdempotencyKeyReused');
    expectProblem(await post(undefined, {}, headers), 409, 'IdempotencyKeyReused');
  });

  it('other values and headers in the query are refused', async () => {
    expectProblem(await post('some'), 400, 'InvalidRequest', 'notifyAttendees');
    const event = await create();
    expectProblem(
      await put(event.id, { title: 'x' }, { notifyAttendees: 'x' }),
      400,
      'InvalidRequest',
      'notifyAttendees',
    );
    expectProblem(await remove(event.id, { ifMatch: '"x"' }), 400, 'InvalidRequest', 'ifMatch');
  });

  it('the client has the option', async () => {
    const client = createClient({
      baseUrl: 'http://kalends.test',
      apiKey: world.apiKey,
      fetch: (url, init) => world.handler(new Request(url, init)),
    });
    const { accountId, calendarId } = account;
    const made = { title: 'Meeting', ...TIMES, attendees: attendees() };
    const event = await client.events.create(accountId, calendarId, made, { notifyAttendees: 'all' });
    expect(mails()).toEqual(toAll('invitation'));
    const quiet = { notifyAttendees: 'none' } as const;
    const update = client.events.update(accountId, calendarId, event.id, { title: 'Quiet' }, quiet);
    const removal = update.then(() => client.events.delete(accountId, calendarId, event.id, quiet));
    if (isGoogle) await removal;
    else await expect(removal).rejects.toMatchObject({ code: 'UnsupportedByProvider' });
    expect(mails()).toEqual([]);
  });
});
