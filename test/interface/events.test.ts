import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movableClock } from './movable-clock.ts';
import { calendarEvent } from './shapes.ts';
import { body, type Connected, eventsPath, expectProblem, query } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

const MINUTE_MS = 60_000;
const clock = movableClock();
let world: World;
beforeAll(async () => {
  world = await createWorld({ clock });
});
afterAll(() => world.close());

const NINE = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' };
const TEN = { dateTime: '2026-03-02T10:00:00', timeZone: 'Europe/Berlin' };

describe.each(PROVIDERS)('one event of $providerType', ({ provider, providerType }) => {
  let account: Connected;
  let guest: Connected;
  beforeAll(async () => {
    account = await world.connect(provider);
    guest = await world.connect(provider);
  });
  const path = (id: string) => eventsPath(account, id);
  const post = (fields: Readonly<Record<string, unknown>> = {}) =>
    world.call('POST', eventsPath(account), { body: { title: 'Meeting', start: NINE, end: TEN, ...fields } });
  const create = async (fields: Readonly<Record<string, unknown>> = {}) => body(await post(fields), 201);
  const read = async (id: string) => body(await world.call('GET', path(id)));
  const put = (id: string, sent: unknown, headers: Readonly<Record<string, string>> = {}) =>
    world.call('PUT', path(id), { body: sent, headers });

  describe('POST creates', () => {
    it('with title and start alone: one hour, 201, all fields', async () => {
      const answer = await world.call('POST', eventsPath(account), { body: { title: 'Short', start: NINE } });
      const event = body(answer, 201);
      expect(calendarEvent(event)).toBeUndefined();
      expect(event).toMatchObject({
        title: 'Short',
        description: '',
        location: '',
        start: { dateTime: '2026-03-02T09:00:00+01:00', timeZone: 'Europe/Berlin' },
        end: { dateTime: '2026-03-02T10:00:00+01:00', timeZone: 'Europe/Berlin' },
        isAllDay: false,
        isRecurring: false,
        isException: false,
        isCancelled: false,
        recurrence: null,
        attendees: [],
        visibility: 'default',
        transparency: 'opaque',
        eventType: 'default',
        publicExtendedProperties: {},
        privateExtendedProperties: {},
      });
      expect(answer.headers.get('etag')).toBe(event.etag);
      expect(await read(event.id)).toEqual(event);
    });

    it('with everything that can be written', async () => {
      const wish = {
        title: 'Größe ✓ <b>&amp;</b>',
        description: 'Line one\nLine two',
        location: 'Room 1',
        visibility: 'private',
        transparency: 'transparent',
        publicExtendedProperties: { project: 'kalends', 'with space': 'ü' },
        privateExtendedProperties: { secret: '1' },
        reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 10 }] },
      };
      const event = await create(wish);
      expect(calendarEvent(event)).toBeUndefined();
      expect(event).toMatchObject(wish);
      expect(await read(event.id)).toEqual(event);
      clock.pass(MINUTE_MS);
      expect(await read(event.id)).toEqual(event);
    });

    it('a colour of its own that round-trips', async () => {
      const event = await create({ customColor: '#a1b2c3' });
      expect(event.customColor?.toLowerCase()).toBe('#a1b2c3');
      clock.pass(MINUTE_MS);
      expect((await read(event.id)).customColor?.toLowerCase()).toBe('#a1b2c3');
    });

    it('with guests, who see it', async () => {
      const event = await create({ attendees: [{ email: guest.email, name: 'Guest' }] });
      expect(event.attendees).toContainEqual(
        expect.objectContaining({ email: guest.email, responseStatus: 'needsAction' }),
      );
      expect(event.organizer).toMatchObject({ email: account.email, isSelf: true });
      clock.pass(MINUTE_MS);
      const { data } = body(await world.call('GET', eventsPath(guest)));
      const theirs = data.find((item: Json) => item.iCalUid === event.iCalUid || item.title === event.title);
      expect(calendarEvent(theirs)).toBeUndefined();
      expect(theirs).toMatchObject({ title: event.title, start: event.start, myResponseStatus: 'needsAction' });
      expect(theirs.organizer).toMatchObject({ email: account.email, isSelf: false });
    });

    it('a meeting URL when a provider for it is named', async () => {
      const { allowedOnlineMeetingProviders } = body(
        await world.call('GET', `/v1/calendars/${account.accountId}/${encodeURIComponent(account.calendarId)}`),
      );
      const event = await create({ generateMeetingUrlProvider: allowedOnlineMeetingProviders[0] });
      const url = async () => {
        clock.pass(MINUTE_MS);
        return (await read(event.id)).conferenceData;
      };
      expect(await url()).toMatchObject({ joinUrl: expect.stringMatching(/^https:\/\//) });
      expect(calendarEvent(await read(event.id))).toBeUndefined();
    });

    it('ignoring the fields that are read-only or come from the provider', async () => {
      const first = await create();
      const event = await create({
        id: first.id,
        etag: first.etag,
        createdAt: first.createdAt,
        updatedAt: first.updatedAt,
        iCalUid: first.iCalUid,
        webLink: 'https://elsewhere.test/',
        organizer: { email: 'boss@elsewhere.test' },
        creator: { email: 'boss@elsewhere.test' },
      });
      expect(event.id).not.toBe(first.id);
      expect(event.iCalUid).not.toBe(first.iCalUid);
      expect(event.webLink).not.toBe('https://elsewhere.test/');
      expect(event.organizer?.email ?? account.email).toBe(account.email);
    });

    it.each([
      ['title', { title: undefined }],
      ['title', { title: 7 }],
      ['title', { title: 'x'.repeat(1_025) }],
      ['start', { start: undefined }],
      ['start', { start: '2026-03-02T09:00:00Z' }],
      ['start.dateTime', { start: {} }],
      ['start.dateTime', { start: { dateTime: 'soon' } }],
      ['start.dateTime', { start: { dateTime: 20260302 } }],
      ['start.timeZone', { start: { ...NINE, timeZone: 'Mars/Olympus' } }],
      ['start.timeZone', { start: { ...NINE, timeZone: '+01:00' } }],
      ['start.zone', { start: { ...NINE, zone: 'UTC' } }],
      ['end', { end: { dateTime: '2026-03-02T08:00:00', timeZone: 'Europe/Berlin' } }],
      ['end.dateTime', { end: { dateTime: '2026-02-30T10:00:00' } }],
      ['description', { description: ['x'] }],
      ['location', { location: 'x'.repeat(1_025) }],
      ['isAllDay', { isAllDay: 'yes' }],
      ['visibility', { visibility: 'secret' }],
      ['transparency', { transparency: 'busy' }],
      ['eventType', { eventType: 'birthday' }],
      ['attendees', { attendees: 'everybody' }],
      ['attendees.0.email', { attendees: [{ name: 'No address' }] }],
      ['attendees.0.email', { attendees: [{ email: 'no address' }] }],
      ['attendees.0.responseStatus', { attendees: [{ email: 'a@b.example', responseStatus: 'maybe' }] }],
      ['attendees', { attendees: Array.from({ length: 201 }, (_, index) => ({ email: `p${index}@b.example` })) }],
      ['reminders.when', { reminders: { when: 'early' } }],
      ['reminders.overrides.0.minutes', { reminders: { overrides: [{ method: 'popup', minutes: -1 }] } }],
      ['publicExtendedProperties', { publicExtendedProperties: [] }],
      ['publicExtendedProperties.a', { publicExtendedProperties: { a: 1 } }],
      ['myResponseStatus', { myResponseStatus: 'perhaps' }],
      ['recurrence', { recurrence: 'weekly' }],
      ['colour', { colour: 'red' }],
      ['hasOwnProperty', { hasOwnProperty: 1 }],
    ])('refuses a wrong %s, naming it: %j', async (field, wrong) => {
      const list = async () => body(await world.call('GET', `${eventsPath(account)}${query({ limit: 1000 })}`)).data;
      const before = await list();
      expectProblem(await post(wrong), 400, 'InvalidRequest', field);
      expect(await list()).toEqual(before);
    });
  });

  describe('limits', () => {
    const description = provider === 'google' ? 8_192 : 100_000;
    const properties = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'v']));

    it('what is just allowed is kept whole', async () => {
      const wish = {
        title: 't'.repeat(1_024),
        location: 'l'.repeat(1_024),
        description: 'd'.repeat(description),
        privateExtendedProperties: { ...properties(24), ['k'.repeat(44)]: 'v'.repeat(1_024) },
        publicExtendedProperties: properties(25),
      };
      const event = await create(wish);
      expect(event).toMatchObject(wish);
      clock.pass(MINUTE_MS);
      expect(await read(event.id)).toMatchObject(wish);
    });

    it.each([
      ['description', { description: 'd'.repeat(description + 1) }],
      ['privateExtendedProperties', { privateExtendedProperties: { ['k'.repeat(45)]: 'v' } }],
      ['privateExtendedProperties', { privateExtendedProperties: { a: 'v'.repeat(1_025) } }],
      ['publicExtendedProperties', { publicExtendedProperties: properties(51) }],
    ])('a longer %s is 400, nothing is cut', async (field, wrong) => {
      const answer = await post(wrong);
      expectProblem(answer, 400, 'InvalidRequest');
      expect(answer.body.details.map((detail: Json) => detail.path).join()).toContain(field);
    });

    it.each(['__proto__', 'constructor', 'prototype'])('the key %s is 400 wherever it stands', async (key) => {
      const start = '"start":{"dateTime":"2026-03-02T09:00:00Z"}';
      const bodies = [
        `{"title":"x",${start},"privateExtendedProperties":{"${key}":"1"}}`,
        `{"title":"x",${start},"publicExtendedProperties":{"${key}":{"admin":true}}}`,
        `{"title":"x",${start},"${key}":{"admin":true}}`,
        `{"title":"x",${start},"reminders":{"${key}":{}}}`,
      ];
      for (const text of bodies) {
        expectProblem(await world.call('POST', eventsPath(account), { body: text }), 400, 'InvalidRequest');
      }
      const filter = query({ metadataFilters: `{"${key}":"1"}` });
      expectProblem(
        await world.call('GET', `${eventsPath(account)}${filter}`),
        400,
        'InvalidRequest',
        'metadataFilters',
      );
    });

    it('a body of more than 256 kB is 413', async () => {
      const answer = await post({ description: 'x'.repeat(262_144) });
      expectProblem(answer, 413, 'PayloadTooLarge');
    });

    it('a body that is not JSON is 415, and broken JSON is 400', async () => {
      const text = await world.call('POST', eventsPath(account), {
        body: 'title=x',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expectProblem(text, 415, 'UnsupportedMediaType');
      expectProblem(await world.call('POST', eventsPath(account), { body: '{"title":' }), 400, 'InvalidRequest');
      expectProblem(await world.call('POST', eventsPath(account), { body: '' }), 400, 'InvalidRequest');
      expectProblem(await world.call('POST', eventsPath(account)), 400, 'InvalidRequest');
    });
  });

  describe('PUT changes', () => {
    it('only what is sent', async () => {
      const event = await create({ description: 'Kept', location: 'Here', privateExtendedProperties: { a: '1' } });
      const answer = await put(event.id, { title: 'Renamed' });
      const changed = body(answer);
      expect(calendarEvent(changed)).toBeUndefined();
      expect(changed).toEqual({ ...event, title: 'Renamed', etag: changed.etag, updatedAt: changed.updatedAt });
      expect(changed.etag).not.toBe(event.etag);
      expect(answer.headers.get('etag')).toBe(changed.etag);
      expect(await read(event.id)).toEqual(changed);
    });

    it('nothing when what was read is sent back', async () => {
      const event = await create({
        description: 'Text',
        attendees: [{ email: guest.email }],
        publicExtendedProperties: { a: 'b' },
        recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
      });
      const same = body(await put(event.id, event));
      expect({ ...same, updatedAt: event.updatedAt }).toEqual(event);
    });

    it('null clears what can be without value', async () => {
      const event = await create({
        description: 'Text',
        location: 'Here',
        publicExtendedProperties: { a: 'b' },
        recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
      });
      const sent = { title: null, description: null, location: null, publicExtendedProperties: null, recurrence: null };
      const changed = body(await put(event.id, sent));
      expect(changed).toMatchObject({
        title: '',
        description: '',
        location: '',
        publicExtendedProperties: {},
        recurrence: null,
        isRecurring: false,
      });
    });

    it('times, in whatever zone', async () => {
      const event = await create();
      const start = { dateTime: '2026-07-01T09:00:00', timeZone: 'Asia/Tokyo' };
      const end = { dateTime: '2026-07-01T09:30:00', timeZone: 'Asia/Tokyo' };
      const changed = body(await put(event.id, { start, end }));
      expect(changed).toMatchObject({
        start: { dateTime: '2026-07-01T09:00:00+09:00', timeZone: 'Asia/Tokyo' },
        end: { dateTime: '2026-07-01T09:30:00+09:00', timeZone: 'Asia/Tokyo' },
      });
    });

    it.each([
      ['isRecurring', { isRecurring: true }],
      ['isException', { isException: true }],
      ['recurringEventId', { recurringEventId: 'another' }],
      ['originalStart', { originalStart: NINE }],
      ['webLink', { webLink: 'https://elsewhere.test/' }],
      ['organizer', { organizer: { email: 'boss@elsewhere.test', isSelf: false } }],
      ['creator', { creator: { email: 'boss@elsewhere.test' } }],
    ])('%s is derived: another value is 422 naming it', async (field, wrong) => {
      const event = await create();
      expectProblem(await put(event.id, { title: 'Other', ...wrong }), 422, 'UnsupportedByProvider', field);
      expect(await read(event.id)).toEqual(event);
    });

    it('isRecurring may say what the recurrence beside it makes true, and nothing else', async () => {
      const event = await create();
      const recurrence = ['RRULE:FREQ=DAILY;COUNT=3'];
      const series = body(await put(event.id, { isRecurring: true, recurrence }));
      expect(series).toMatchObject({ isRecurring: true, recurrence });
      // The rest of a record that is sent back says nothing.
      const ended = body(await put(event.id, { ...series, recurrence: null }));
      expect(ended).toMatchObject({ isRecurring: false, recurrence: null });
      const wrong = await put(event.id, { isRecurring: true, recurrence: [] });
      expectProblem(wrong, 422, 'UnsupportedByProvider', 'isRecurring');
      expect(wrong.body.detail).toContain('leave it out');
      const again = body(await put(event.id, { isRecurring: true, recurrence }));
      expectProblem(
        await put(again.id, { isRecurring: false, recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] }),
        422,
        'UnsupportedByProvider',
        'isRecurring',
      );
      const single = body(await put(again.id, { isRecurring: false, recurrence: null }));
      expect(single).toMatchObject({ isRecurring: false, recurrence: null });
    });

    it.each([
      ['title', { title: 'x'.repeat(1_025) }],
      ['start', { start: null }],
      ['end', { end: { dateTime: '2026-03-02T08:00:00', timeZone: 'Europe/Berlin' } }],
      ['summary', { summary: 'x' }],
      ['visibility', { visibility: 'hidden' }],
    ])('a wrong %s is 400 naming it, and changes nothing', async (field, wrong) => {
      const event = await create();
      expectProblem(await put(event.id, { location: 'Moved', ...wrong }), 400, 'InvalidRequest', field);
      expect(await read(event.id)).toEqual(event);
    });

    it('isCancelled: true cancels; afterwards the event is gone or shown as cancelled', async () => {
      const event = await create();
      const cancelled = body(await put(event.id, { isCancelled: true }));
      expect(cancelled.isCancelled).toBe(true);
      const { data } = body(
        await world.call('GET', `${eventsPath(account)}${query({ isCancelled: false, limit: 1000 })}`),
      );
      expect(data.map(({ id }: Json) => id)).not.toContain(event.id);
    });
  });

  describe('etag and If-Match', () => {
    it('412 when stale, on PUT, DELETE and rsvp; the present one and * pass', async () => {
      const event = await create();
      const changed = body(await put(event.id, { title: 'Second' }, { 'if-match': event.etag }));
      const stale = { 'if-match': event.etag };
      const rsvp = { responseStatus: 'accepted' };
      expectProblem(await put(event.id, { title: 'Third' }, stale), 412, 'PreconditionFailed');
      expectProblem(await world.call('DELETE', path(event.id), { headers: stale }), 412, 'PreconditionFailed');
      const answer = await world.call('POST', `${path(event.id)}/rsvp`, { body: rsvp, headers: stale });
      expectProblem(answer, 412, 'PreconditionFailed');
      expect(await read(event.id)).toEqual(changed);
      body(await put(event.id, { title: 'Fourth' }, { 'if-match': '*' }));
      const fifth = body(
        await put(event.id, { title: 'Fifth' }, { 'if-match': `"other", ${(await read(event.id)).etag}` }),
      );
      expect(fifth.title).toBe('Fifth');
      expect(body(await world.call('DELETE', path(event.id), { headers: { 'if-match': fifth.etag } }))).toEqual({
        success: true,
      });
    });

    it('a change at the provider makes it stale', async () => {
      const event = await create();
      const at = provider === 'google' ? `/calendars/primary/events/${event.id}` : `/me/events/${event.id}`;
      const field = provider === 'google' ? 'summary' : 'subject';
      await world.atProvider(provider, account.email, 'PATCH', at, { [field]: 'Theirs' });
      expectProblem(await put(event.id, { title: 'Mine' }, { 'if-match': event.etag }), 412, 'PreconditionFailed');
      clock.pass(MINUTE_MS);
      expect((await read(event.id)).title).toBe('Theirs');
    });

    it.each(['nonsense', 'W/"weak"', ''])('If-Match %j never matches', async (value) => {
      const event = await create();
      const answer = await put(event.id, { title: 'Other' }, { 'if-match': value });
      expect([400, 412]).toContain(answer.status);
      expect(await read(event.id)).toEqual(event);
    });
  });

  describe('DELETE', () => {
    it('answers {success: true}; afterwards GET, PUT and DELETE are 404', async () => {
      const event = await create();
      expect(body(await world.call('DELETE', path(event.id), { body: '{{' }))).toEqual({ success: true });
      expectProblem(await world.call('GET', path(event.id)), 404, 'NotFound');
      expectProblem(await put(event.id, { title: 'x' }), 404, 'NotFound');
      expectProblem(await world.call('DELETE', path(event.id)), 404, 'NotFound');
    });
  });

  describe('rsvp', () => {
    const invited = async () => {
      const title = `Invitation ${Math.trunc(clock.now())}`;
      await create({ title, attendees: [{ email: guest.email }] });
      clock.pass(MINUTE_MS);
      const found = body(await world.call('GET', `${eventsPath(guest)}${query({ search: title })}`)).data[0];
      return `${eventsPath(guest, found.id)}`;
    };

    it.each(['accepted', 'tentative', 'declined'])('%s', async (responseStatus) => {
      const event = await invited();
      expect(body(await world.call('POST', `${event}/rsvp`, { body: { responseStatus } }))).toEqual({ success: true });
      const now = body(await world.call('GET', event));
      expect(now.myResponseStatus).toBe(responseStatus);
      expect(calendarEvent(now)).toBeUndefined();
    });

    it('myResponseStatus on PUT does the same', async () => {
      const event = await invited();
      expect(body(await world.call('PUT', event, { body: { myResponseStatus: 'accepted' } })).myResponseStatus).toBe(
        'accepted',
      );
    });

    it('an answer on PUT that is refused changes nothing else of the event either', async () => {
      const alone = await create();
      for (const myResponseStatus of ['tentative', 'needsAction', 'declined']) {
        expectProblem(await put(alone.id, { title: 'Changed', myResponseStatus }), 403, 'Forbidden');
        expect(await read(alone.id)).toEqual(alone);
      }
    });

    it('needsAction is success when it is so already', async () => {
      const event = await invited();
      const needsAction = () => world.call('POST', `${event}/rsvp`, { body: { responseStatus: 'needsAction' } });
      expect(body(await needsAction())).toEqual({ success: true });
      body(await world.call('POST', `${event}/rsvp`, { body: { responseStatus: 'accepted' } }));
      if (providerType === 'PROVIDER_B') expectProblem(await needsAction(), 422, 'UnsupportedByProvider');
      else expect(body(await needsAction())).toEqual({ success: true });
    });

    it('403 for the organizer and for who is not invited', async () => {
      const rsvp = { body: { responseStatus: 'accepted' } };
      const meeting = await create({ attendees: [{ email: guest.email }] });
      expectProblem(await world.call('POST', `${path(meeting.id)}/rsvp`, rsvp), 403, 'Forbidden');
      const alone = await create();
      expectProblem(await world.call('POST', `${path(alone.id)}/rsvp`, rsvp), 403, 'Forbidden');
    });

    it.each([
      ['responseStatus', {}],
      ['responseStatus', { responseStatus: 'maybe' }],
      ['responseStatus', { responseStatus: null }],
      ['comment', { responseStatus: 'accepted', comment: 5 }],
      ['note', { responseStatus: 'accepted', note: 'x' }],
    ])('refuses a wrong %s: %j', async (field, sent) => {
      const event = await invited();
      expectProblem(await world.call('POST', `${event}/rsvp`, { body: sent }), 400, 'InvalidRequest', field);
    });
  });

  describe('scopes that a series does not have', () => {
    it.each(['this', 'following', 'some'])('scope=%s is 400 naming it, and nothing changes', async (scope) => {
      const event = await create({ recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      const at = `${path(event.id)}${query({ scope })}`;
      expectProblem(await world.call('PUT', at, { body: { title: 'x' } }), 400, 'InvalidRequest', 'scope');
      expectProblem(await world.call('DELETE', at), 400, 'InvalidRequest', 'scope');
      expect(await read(event.id)).toEqual(event);
    });
  });

  it('GET takes the zone of display, and refuses unknown parameters', async () => {
    const event = await create();
    const shown = body(await world.call('GET', `${path(event.id)}${query({ timeZone: 'Asia/Tokyo' })}`));
    expect(shown.start).toEqual({ dateTime: '2026-03-02T17:00:00+09:00', timeZone: 'Asia/Tokyo' });
    expect(shown.etag).toBe(event.etag);
    expectProblem(await world.call('GET', `${path(event.id)}?fields=id`), 400, 'InvalidRequest', 'fields');
    expectProblem(await world.call('GET', `${path(event.id)}?timeZone=Nowhere`), 400, 'InvalidRequest', 'timeZone');
  });
});
