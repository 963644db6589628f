import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movableClock } from './movable-clock.ts';
import { calendarEvent } from './shapes.ts';
import { body, type Connected, calendarsPath, eventsPath, expectProblem, query } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

const MINUTE_MS = 60_000;
const clock = movableClock();
let world: World;
beforeAll(async () => {
  world = await createWorld({ clock });
});
afterAll(() => world.close());

const BERLIN = 'Europe/Berlin';
const NINE = { dateTime: '2026-03-02T09:00:00', timeZone: BERLIN };
const TEN = { dateTime: '2026-03-02T10:00:00', timeZone: BERLIN };
const popup = (minutes: number) => ({
  useDefault: false,
  isReminderOn: true,
  overrides: [{ method: 'popup', minutes }],
});

/** Each writable field of an ordinary event, two values of it, and what null leaves. */
const FIELDS: readonly { field: string; values: readonly [unknown, unknown]; cleared: unknown }[] = [
  { field: 'title', values: ['Größe ✓', 'Other'], cleared: '' },
  { field: 'description', values: ['Line one\nLine two', 'Short'], cleared: '' },
  { field: 'location', values: ['Room 1', 'https://video.example/room'], cleared: '' },
  { field: 'publicExtendedProperties', values: [{ a: '1' }, { a: 'ü 🗓' }], cleared: {} },
  { field: 'privateExtendedProperties', values: [{ a: '1' }, { a: '' }], cleared: {} },
  { field: 'recurrence', values: [['RRULE:FREQ=DAILY;COUNT=3'], ['RRULE:FREQ=WEEKLY;BYDAY=MO']], cleared: null },
  { field: 'colorId', values: ['1', '11'], cleared: undefined },
  { field: 'customColor', values: ['#a1b2c3', '#000000'], cleared: undefined },
  { field: 'visibility', values: ['private', 'public'], cleared: 'default' },
  { field: 'visibility', values: ['confidential', 'default'], cleared: 'default' },
  { field: 'transparency', values: ['transparent', 'opaque'], cleared: 'opaque' },
  { field: 'reminders', values: [popup(10), popup(0)], cleared: { useDefault: true } },
  {
    field: 'reminders',
    values: [{ useDefault: false, isReminderOn: false, overrides: [] }, { useDefault: true }],
    cleared: { useDefault: true },
  },
];

describe.each(PROVIDERS)('fields of events of $providerType', ({ provider }) => {
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
  const put = (id: string, sent: unknown) => world.call('PUT', path(id), { body: sent });
  const change = async (id: string, sent: unknown) => body(await put(id, sent));
  /** After a pull, the event must be what the write answered. */
  const settled = async (event: Json) => {
    clock.pass(MINUTE_MS);
    const read = body(await world.call('GET', path(event.id)));
    expect(read).toEqual(event);
    expect(calendarEvent(read)).toBeUndefined();
    return read;
  };
  const without = (event: Json, ...fields: readonly string[]) =>
    Object.fromEntries(Object.entries(event).filter(([field]) => !['etag', 'updatedAt', ...fields].includes(field)));
  const derivedFrom = (field: string) =>
    field === 'recurrence' ? ['isRecurring'] : field === 'transparency' ? ['showAs'] : [];

  describe.each(FIELDS)('$field', ({ field, values, cleared }) => {
    it(`${JSON.stringify(values)} survive create, PUT and pulls; null clears; nothing else changes`, async () => {
      const made = await create({ [field]: values[0] });
      expect(made[field]).toEqual(values[0]);
      await settled(made);
      const plain = await create({ description: 'Kept', location: 'Kept', privateExtendedProperties: { kept: 'yes' } });
      let before = plain;
      for (const value of [...values, null]) {
        const after = await change(plain.id, { [field]: value });
        const isMerged = field === 'privateExtendedProperties' && value !== null;
        expect(after[field]).toEqual(isMerged ? { kept: 'yes', ...(value as object) } : (value ?? cleared));
        expect(without(after, field, ...derivedFrom(field))).toEqual(without(before, field, ...derivedFrom(field)));
        await settled(after);
        before = after;
      }
    });
  });

  it('all of them at once, cleared at once', async () => {
    const first = new Map(FIELDS.map(({ field, values }) => [field, values[0]]));
    const made = await create(Object.fromEntries(first));
    for (const [field, value] of first) expect(made[field]).toEqual(value);
    await settled(made);
    const after = await change(made.id, Object.fromEntries([...first.keys()].map((field) => [field, null])));
    for (const { field, cleared } of FIELDS) expect(after[field]).toEqual(cleared);
    await settled(after);
  });

  it('extended properties are merged by key; null removes one', async () => {
    for (const field of ['publicExtendedProperties', 'privateExtendedProperties']) {
      const event = await create({ [field]: { a: '1', b: '2' } });
      const after = await change(event.id, { [field]: { b: null, c: '3' } });
      expect(after[field]).toEqual({ a: '1', c: '3' });
      await settled(after);
    }
  });

  describe('start, end and isAllDay', () => {
    it('an event becomes all-day and timed again', async () => {
      const event = await create({ location: 'Room 1' });
      const allDay = await change(event.id, { isAllDay: true });
      expect(allDay).toMatchObject({
        isAllDay: true,
        start: { dateTime: '2026-03-02T00:00:00' },
        end: { dateTime: '2026-03-03T00:00:00' },
        location: 'Room 1',
      });
      await settled(allDay);
      const timed = await change(event.id, { isAllDay: false, start: NINE, end: TEN });
      expect(timed).toMatchObject({ isAllDay: false, start: event.start, end: event.end });
      await settled(timed);
    });

    it('a series becomes all-day and timed again, with its rule', async () => {
      const recurrence = ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=6'];
      const series = await create({ recurrence });
      const allDay = await change(series.id, { start: { dateTime: '2026-03-02' }, end: { dateTime: '2026-03-03' } });
      expect(allDay).toMatchObject({ isAllDay: true, isRecurring: true, recurrence });
      await settled(allDay);
      const window = query({ startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z' });
      const slots = async () => body(await world.call('GET', `${path(series.id)}/occurrences${window}`)).data;
      expect((await slots()).map(({ start }: Json) => start.dateTime.slice(0, 10)).sort()).toEqual([
        '2026-03-02',
        '2026-03-04',
        '2026-03-09',
        '2026-03-11',
        '2026-03-16',
        '2026-03-18',
      ]);
      const timed = await change(series.id, { isAllDay: false, start: NINE, end: TEN });
      expect(timed).toMatchObject({ isAllDay: false, recurrence, start: series.start, end: series.end });
      expect(await slots()).toHaveLength(6);
      await settled(timed);
    });

    it('a rule that ends on a day ends on it in either form', async () => {
      const series = await create({ recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260304T080000Z'] });
      const window = query({ startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z' });
      const slots = async () => body(await world.call('GET', `${path(series.id)}/occurrences${window}`)).data.length;
      expect(await slots()).toBe(3);
      const allDay = await change(series.id, { isAllDay: true });
      expect(await slots()).toBe(3);
      await settled(allDay);
    });

    it('end: null is the usual length', async () => {
      const event = await create({ end: { dateTime: '2026-03-02T17:00:00', timeZone: BERLIN } });
      const after = await change(event.id, { end: null });
      expect(after.end.dateTime).toBe('2026-03-02T10:00:00+01:00');
      await settled(after);
    });

    it('start and end keep zones of their own', async () => {
      const event = await create({
        start: { dateTime: '2026-03-02T09:00:00', timeZone: 'America/New_York' },
        end: { dateTime: '2026-03-02T20:00:00', timeZone: 'Europe/Paris' },
      });
      expect(event.start).toEqual({ dateTime: '2026-03-02T09:00:00-05:00', timeZone: 'America/New_York' });
      expect(event.end).toEqual({ dateTime: '2026-03-02T20:00:00+01:00', timeZone: 'Europe/Paris' });
      await settled(event);
    });
  });

  describe('attendees', () => {
    const answers = ({ attendees }: Json) =>
      Object.fromEntries(attendees.map(({ email, responseStatus }: Json) => [email.toLowerCase(), responseStatus]));
    const invited = async (event: Json) => {
      clock.pass(MINUTE_MS);
      const { data } = body(await world.call('GET', `${eventsPath(guest)}${query({ search: event.title })}`));
      return data.find(({ iCalUid }: Json) => iCalUid === event.iCalUid);
    };
    let titles = 0;
    const meeting = (fields: Readonly<Record<string, unknown>> = {}) => {
      titles += 1;
      return create({ title: `With guests ${titles}`, attendees: [{ email: guest.email }], ...fields });
    };

    it('survive with their names, and an update of others resets no answer', async () => {
      const event = await meeting({ attendees: [{ email: guest.email, name: 'Guest' }, { email: 'ann@x.example' }] });
      expect(event.attendees.map(({ name }: Json) => name)[0]).toBe('Guest');
      await settled(event);
      const theirs = await invited(event);
      body(await world.call('PUT', eventsPath(guest, theirs.id), { body: { myResponseStatus: 'accepted' } }));
      // As it was read before the answer.
      const after = await change(event.id, {
        attendees: [
          { email: guest.email, responseStatus: 'needsAction' },
          { email: 'bob@x.example', name: 'Bob' },
        ],
      });
      expect(answers(after)).toEqual({ [guest.email]: 'accepted', 'bob@x.example': 'needsAction' });
      await settled(after);
      const none = await change(event.id, { attendees: null });
      expect(none.attendees).toEqual([]);
      await settled(none);
    });

    it('an answer for another attendee is 422, naming it, and nothing changes', async () => {
      const event = await meeting();
      const attendees = [{ email: 'new@x.example' }, { email: guest.email, responseStatus: 'accepted' }];
      const answer = await put(event.id, { title: 'Changed', attendees });
      expectProblem(answer, 422, 'UnsupportedByProvider', 'attendees.1.responseStatus');
      const fresh = [{ email: 'new@x.example', responseStatus: 'declined' }];
      expectProblem(await post({ attendees: fresh }), 422, 'UnsupportedByProvider', 'attendees.0.responseStatus');
      await settled(event);
    });

    it('what was read may be sent back, and the own answer in the list is an rsvp', async () => {
      const event = await meeting();
      const same = await change(event.id, { attendees: event.attendees });
      expect(without(same)).toEqual(without(event));
      const theirs = await invited(event);
      const attendees = theirs.attendees.map((attendee: Json) =>
        attendee.email.toLowerCase() === guest.email ? { ...attendee, responseStatus: 'tentative' } : attendee,
      );
      const answered = body(await world.call('PUT', eventsPath(guest, theirs.id), { body: { ...theirs, attendees } }));
      expect(answered.myResponseStatus).toBe('tentative');
      clock.pass(MINUTE_MS);
      expect(answers(body(await world.call('GET', path(event.id))))).toEqual({ [guest.email]: 'tentative' });
      const contradiction = {
        myResponseStatus: 'declined',
        attendees: attendees.map((one: Json) => ({ ...one, responseStatus: 'accepted' })),
      };
      const refused = await world.call('PUT', eventsPath(guest, theirs.id), { body: contradiction });
      expect(refused.status).toBe(400);
    });

    it('optional attendees and resources stay what they are; becoming one is a change', async () => {
      const [maybe, room] = ['maybe@x.example', 'room@x.example'];
      const event = await meeting({ attendees: [{ email: maybe }, { email: room }] });
      const [at, kinds, read] =
        provider === 'google'
          ? [
              `/calendars/primary/events/${event.id}`,
              [
                { email: maybe, optional: true },
                { email: room, resource: true },
              ],
              ({ email, optional, resource }: Json) => [email, optional === true, resource === true],
            ]
          : [
              `/me/events/${event.id}`,
              [
                { type: 'optional', emailAddress: { address: maybe } },
                { type: 'resource', emailAddress: { address: room } },
              ],
              ({ emailAddress, type }: Json) => [emailAddress.address, type === 'optional', type === 'resource'],
            ];
      // Google makes only new guests resources.
      await world.atProvider(provider, account.email, 'PATCH', at, { attendees: kinds.slice(0, 1) });
      await world.atProvider(provider, account.email, 'PATCH', at, { attendees: kinds });
      clock.pass(MINUTE_MS);
      const seen = body(await world.call('GET', path(event.id)));
      expect(without(seen, 'attendees')).toEqual(without(event, 'attendees'));
      expect(seen.attendees.map(({ kind }: Json) => kind).sort()).toEqual(['optional', 'resource']);
      expect(seen.etag).not.toBe(event.etag);
      await change(event.id, {
        title: 'Renamed',
        attendees: [{ email: room }, { email: maybe }, { email: 'new@x.example' }],
      });
      const { attendees } = await world.atProvider(provider, account.email, 'GET', at);
      expect(attendees.map(read).sort()).toEqual([
        [maybe, true, false],
        ['new@x.example', false, false],
        [room, false, true],
      ]);
    });

    it('one address twice is 400', async () => {
      const twice = [{ email: 'ann@x.example' }, { email: 'Ann@X.example' }];
      expectProblem(await post({ attendees: twice }), 400, 'InvalidRequest', 'attendees.1.email');
    });

    it('a guest’s edit of what is the organizer’s is 403 and changes nothing; the own side is the guest’s', async () => {
      const event = await meeting();
      const theirs = await invited(event);
      const at = eventsPath(guest, theirs.id);
      for (const sent of [
        { title: 'Mine' },
        { location: 'Mine' },
        { start: TEN, end: { dateTime: '2026-03-02T11:00:00', timeZone: BERLIN } },
        { recurrence: ['RRULE:FREQ=DAILY'] },
        { attendees: [] },
      ]) {
        expectProblem(await world.call('PUT', at, { body: sent }), 403, 'Forbidden');
      }
      const own = { transparency: 'transparent', customColor: '#123456', reminders: popup(5) };
      expect(body(await world.call('PUT', at, { body: own }))).toMatchObject(own);
      await settled(event);
    });

    it('the organizer’s and a stranger’s rsvp are 403', async () => {
      const event = await meeting();
      const rsvp = { body: { responseStatus: 'accepted' } };
      expectProblem(await world.call('POST', `${path(event.id)}/rsvp`, rsvp), 403, 'Forbidden');
      expectProblem(await put(event.id, { myResponseStatus: 'declined' }), 403, 'Forbidden');
      await settled(event);
    });

    it('myResponseStatus of a new event is the organizer’s own', async () => {
      expect((await create({ myResponseStatus: 'accepted' })).myResponseStatus).toBe('accepted');
      expectProblem(await post({ myResponseStatus: 'declined' }), 422, 'UnsupportedByProvider', 'myResponseStatus');
    });
  });

  describe('meetings', () => {
    const allowed = async () => body(await world.call('GET', calendarsPath(account.accountId, account.calendarId)));

    it('one is made by the calendar’s provider, in the keys of the interface, and stays', async () => {
      const { allowedOnlineMeetingProviders, defaultOnlineMeetingProvider } = await allowed();
      expect(allowedOnlineMeetingProviders).toContain(defaultOnlineMeetingProvider);
      for (const generateMeetingUrlProvider of allowedOnlineMeetingProviders) {
        const event = await create({ generateMeetingUrlProvider, description: 'About it' });
        expect(event).toMatchObject({
          generateMeetingUrlProvider,
          description: 'About it',
          conferenceData: {
            conferenceType: expect.any(String),
            joinUrl: expect.stringMatching(/^https:/),
            conferenceDetails: { entryPoints: [{ entryPointType: 'video', uri: event.conferenceData.joinUrl }] },
          },
        });
        await settled(event);
        const renamed = await change(event.id, { title: 'Renamed', description: 'New' });
        expect(renamed).toMatchObject({ description: 'New', conferenceData: event.conferenceData });
        const same = await change(event.id, { ...renamed });
        expect(without(same)).toEqual(without(renamed));
      }
    });

    it('one is added later', async () => {
      const { defaultOnlineMeetingProvider } = await allowed();
      const event = await create({ description: 'About it' });
      const after = await change(event.id, { generateMeetingUrlProvider: defaultOnlineMeetingProvider });
      expect(after.conferenceData.joinUrl).toMatch(/^https:/);
      expect(after.description).toBe('About it');
      await settled(after);
    });

    it('fields that a meeting does not have are 400, each named', async () => {
      const conferenceData = { foo: 1, joinUrl: 'https://video.example/1', bar: null };
      for (const refused of [await post({ conferenceData }), await put((await create()).id, { conferenceData })]) {
        expectProblem(refused, 400, 'InvalidRequest', 'conferenceData.foo');
        expectProblem(refused, 400, 'InvalidRequest', 'conferenceData.bar');
      }
    });

    it('a provider that the calendar does not allow is 422, naming the field and the allowed ones', async () => {
      const { allowedOnlineMeetingProviders } = await allowed();
      const generateMeetingUrlProvider = provider === 'google' ? 'teamsForBusiness' : 'hangoutsMeet';
      const answer = await post({ generateMeetingUrlProvider });
      expectProblem(answer, 422, 'UnsupportedByProvider', 'generateMeetingUrlProvider');
      for (const name of allowedOnlineMeetingProviders) expect(answer.body.detail).toContain(name);
      const event = await create();
      expectProblem(
        await put(event.id, { title: 'Changed', generateMeetingUrlProvider }),
        422,
        'UnsupportedByProvider',
        'generateMeetingUrlProvider',
      );
      await settled(event);
    });
  });

  it('an occurrence takes every field of an event but the rule, and at Google the visibility', async () => {
    const series = await create({ recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] });
    const id = `${series.id}_20260303T080000Z`;
    for (const { field, values } of FIELDS) {
      if (field === 'recurrence') continue;
      if (field === 'visibility' && provider === 'google') {
        expectProblem(await put(id, { [field]: values[0] }), 422, 'UnsupportedByProvider', 'visibility');
        continue;
      }
      const after = await change(id, { [field]: values[0] });
      expect(after[field]).toEqual(values[0]);
      expect(after.isException).toBe(true);
      await settled(after);
    }
    expectProblem(await put(id, { recurrence: ['RRULE:FREQ=DAILY'] }), 400, 'InvalidRequest', 'recurrence');
    clock.pass(MINUTE_MS);
    expect(without(body(await world.call('GET', path(series.id))))).toEqual(without(series));
  });
});
