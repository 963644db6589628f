import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movableClock } from './movable-clock.ts';
import { calendarEvent } from './shapes.ts';
import { body, type Connected, eventsPath, expectProblem, query, readAll } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type ProviderName, type World } from './world.ts';

const MINUTE_MS = 60_000;
const clock = movableClock();
let world: World;
beforeAll(async () => {
  world = await createWorld({ clock });
});
afterAll(() => world.close());

const BERLIN = 'Europe/Berlin';
const TIMES = {
  start: { dateTime: '2026-03-02T09:00:00', timeZone: BERLIN },
  end: { dateTime: '2026-03-02T10:00:00', timeZone: BERLIN },
};
const PLACE = {
  address: { street: 'Hauptstraße 1', city: 'Berlin', postalCode: '10115', countryOrRegion: 'Germany' },
  coordinates: { latitude: 52.53, longitude: 13.38 },
  uri: 'https://rooms.example/1',
};

interface Case {
  readonly field: string;
  readonly values: readonly [unknown, unknown];
  /** The value of a new event, and after null. */
  readonly usual: unknown;
  readonly keptBy: readonly ProviderName[];
}

const BOTH = ['google', 'microsoft'] as const;
const FIELDS: readonly Case[] = [
  { field: 'status', values: ['tentative', 'confirmed'], usual: 'confirmed', keptBy: BOTH },
  { field: 'showAs', values: ['tentative', 'free'], usual: 'busy', keptBy: BOTH },
  { field: 'guestsCanSeeOtherGuests', values: [false, true], usual: true, keptBy: BOTH },
  { field: 'guestsCanModify', values: [true, false], usual: false, keptBy: ['google'] },
  { field: 'guestsCanInviteOthers', values: [false, true], usual: true, keptBy: ['google'] },
  { field: 'allowNewTimeProposals', values: [false, true], usual: true, keptBy: ['microsoft'] },
  { field: 'categories', values: [['Blue', 'Rot'], ['Grün']], usual: [], keptBy: ['microsoft'] },
  { field: 'locationDetails', values: [PLACE, { uri: 'urn:room:2' }], usual: undefined, keptBy: ['microsoft'] },
];
/** Another form of the same: they change together. */
const COUPLED: Readonly<Record<string, readonly string[]>> = { status: ['showAs'], showAs: ['status', 'transparency'] };

describe.each(PROVIDERS)('extensions of events of $providerType', ({ provider }) => {
  let account: Connected;
  let guest: Connected;
  beforeAll(async () => {
    account = await world.connect(provider);
    guest = await world.connect(provider);
  });
  const path = (id?: string) => eventsPath(account, id);
  const post = (fields: Json = {}) => world.call('POST', path(), { body: { title: 'Meeting', ...TIMES, ...fields } });
  const create = async (fields: Json = {}) => body(await post(fields), 201);
  const put = (id: string, sent: Json) => world.call('PUT', path(id), { body: sent });
  const change = async (id: string, sent: Json) => body(await put(id, sent));
  const get = async (id: string) => body(await world.call('GET', path(id)));
  /** After a pull, the event must be what the write answered. */
  const settled = async (event: Json) => {
    clock.pass(MINUTE_MS);
    const read = await get(event.id);
    expect(read).toEqual(event);
    expect(calendarEvent(read)).toBeUndefined();
  };
  const without = (event: Json, field: string) => {
    const changing = ['etag', 'updatedAt', field, ...(COUPLED[field] ?? [])];
    return Object.fromEntries(Object.entries(event).filter(([name]) => !changing.includes(name)));
  };

  describe.each(FIELDS)('$field', ({ field, values, usual, keptBy }) => {
    if (keptBy.includes(provider)) {
      it('survives create, PUT and pulls; absent keeps it, null restores the default; nothing else changes', async () => {
        const made = await create({ [field]: values[0] });
        expect(made[field]).toEqual(values[0]);
        await settled(made);
        let before = await create({ description: 'Kept', location: 'Kept' });
        expect(before[field]).toEqual(usual);
        for (const value of [...values, null, values[0]]) {
          const after = await change(before.id, { [field]: value });
          expect(after[field]).toEqual(value ?? usual);
          expect(without(after, field)).toEqual(without(before, field));
          const renamed = await change(before.id, { title: `Renamed ${JSON.stringify(value).length}` });
          expect(renamed[field]).toEqual(after[field]);
          await settled(renamed);
          before = renamed;
        }
      });

      it('a change of it alone, at the provider too, is a change of a sync result', async () => {
        const event = await create();
        const { nextSyncToken } = await readAll(world, path());
        const changed = await change(event.id, { [field]: values[0] });
        expect(changed.etag).not.toBe(event.etag);
        const { data } = await readAll(world, path(), { syncToken: nextSyncToken });
        expect(data).toEqual([changed]);
      });

      it('one occurrence has its own, and its series can be split', async () => {
        const series = await create({ recurrence: ['RRULE:FREQ=DAILY;COUNT=6'], location: 'Room' });
        const second = `${series.id}_20260303T080000Z`;
        const own = await change(second, { [field]: values[0] });
        expect(own[field]).toEqual(values[0]);
        await change(series.id, { title: 'Renamed' });
        expect((await get(second))[field]).toEqual(values[0]);
        expect((await get(`${series.id}_20260304T080000Z`))[field]).toEqual(usual);
        await change(series.id, { [field]: values[0] });
        const half = body(
          await world.call('PUT', `${path(`${series.id}_20260305T080000Z`)}${query({ scope: 'following' })}`, {
            body: { title: 'Half' },
          }),
        );
        expect(half.id).not.toBe(series.id);
        expect(half[field]).toEqual(values[0]);
      });
    } else {
      it('is refused by name, and null is not', async () => {
        const event = await create();
        expectProblem(await post({ [field]: values[0] }), 422, 'UnsupportedByProvider', field);
        expectProblem(await put(event.id, { [field]: values[0] }), 422, 'UnsupportedByProvider', field);
        expect(await change(event.id, { [field]: null })).toEqual(event);
        await settled(event);
      });
    }
  });

  it('an event is sent back as it was read', async () => {
    const kept = FIELDS.filter(({ field, keptBy }) => field !== 'showAs' && keptBy.includes(provider));
    const event = await create(Object.fromEntries(kept.map(({ field, values }) => [field, values[0]])));
    expect(await change(event.id, event)).toEqual(event);
    const free = await change(event.id, { ...event, transparency: 'transparent' });
    expect(free).toMatchObject({ transparency: 'transparent', showAs: 'free', status: 'tentative' });
    const busy = await change(event.id, { ...free, showAs: 'busy' });
    expect(busy).toMatchObject({ transparency: 'opaque', showAs: 'busy', status: 'confirmed' });
    await settled(busy);
  });

  it.each([
    { showAs: 'free', transparency: 'opaque' },
    { showAs: 'busy', status: 'tentative' },
    { showAs: 'tentative', transparency: 'transparent' },
    { showAs: 'busy', eventType: 'outOfOffice' },
  ])('%j is no state', async (sent) => {
    expectProblem(await post(sent), 400, 'InvalidRequest', 'showAs');
  });

  it('a state that contradicts what is changed with it is refused, one that is sent back is not', async () => {
    const event = await create({ status: 'tentative' });
    const contradiction = { showAs: 'busy', transparency: 'transparent' };
    expectProblem(await put(event.id, contradiction), 400, 'InvalidRequest', 'showAs');
    expect(await change(event.id, { showAs: 'tentative', transparency: 'transparent' })).toMatchObject({
      showAs: 'free',
    });
  });

  it.each([
    ['showAs', { showAs: 'gone' }],
    ['status', { status: 'cancelled' }],
    ['categories', { categories: ['a', 'a'] }],
    ['locationDetails', { locationDetails: {} }],
    ['locationDetails.address', { locationDetails: { address: {} } }],
    ['locationDetails.coordinates.latitude', { locationDetails: { coordinates: { latitude: 91, longitude: 0 } } }],
    ['guestsCanModify', { guestsCanModify: 'yes' }],
    ['attendees.0.kind', { attendees: [{ email: 'a@else.example', kind: 'chair' }] }],
  ])('%s: %j is no value', async (field, sent) => {
    expectProblem(await post(sent), 400, 'InvalidRequest', field);
    const event = await create();
    expectProblem(await put(event.id, sent), 400, 'InvalidRequest', field);
  });

  it('workingElsewhere and oof are kept by Microsoft; Google has oof for new events of a primary calendar', async () => {
    if (provider === 'google') {
      expectProblem(await post({ showAs: 'workingElsewhere' }), 422, 'UnsupportedByProvider', 'showAs');
      expect(await create({ showAs: 'oof' })).toMatchObject({
        eventType: 'outOfOffice',
        providerEventType: 'outOfOffice',
      });
      const event = await create();
      expectProblem(await put(event.id, { showAs: 'oof' }), 422, 'UnsupportedByProvider', 'showAs');
      // The type of an event is fixed, and null is never refused.
      const away = await create({ showAs: 'oof' });
      expect(await change(away.id, { showAs: null })).toMatchObject({ showAs: 'oof', eventType: 'outOfOffice' });
      expectProblem(await put(away.id, { showAs: 'busy' }), 422, 'UnsupportedByProvider', 'showAs');
      return;
    }
    let event = await create({ showAs: 'workingElsewhere' });
    expect(event).toMatchObject({ showAs: 'workingElsewhere', transparency: 'opaque', status: 'confirmed' });
    expect(event).not.toHaveProperty('providerEventType');
    event = await change(event.id, { showAs: 'oof' });
    expect(event).toMatchObject({ showAs: 'oof', eventType: 'outOfOffice' });
    event = await change(event.id, { status: 'tentative' });
    expect(event).toMatchObject({ showAs: 'oof', status: 'tentative', eventType: 'outOfOffice' });
    await settled(event);
    event = await change(event.id, { eventType: 'default' });
    expect(event).toMatchObject({ showAs: 'tentative', status: 'tentative', eventType: 'default' });
    await settled(event);
  });

  it('all states but free are busy time', async () => {
    const states =
      provider === 'google' ? ['tentative', 'busy', 'oof'] : ['tentative', 'busy', 'oof', 'workingElsewhere'];
    const busy = async (day: string) =>
      body(
        await world.call('POST', `/v1/freeBusy/${account.accountId}`, {
          body: {
            startDateTime: `${day}T00:00:00`,
            endDateTime: `${day}T23:00:00`,
            timeZone: BERLIN,
            calendarIds: [account.calendarId],
          },
        }),
      )[0].busySlots.length;
    for (const [index, showAs] of [...states, 'free'].entries()) {
      const day = `2026-07-0${index + 1}`;
      const point = (time: string) => ({ dateTime: `${day}T${time}`, timeZone: BERLIN });
      await create({ start: point('09:00:00'), end: point('10:00:00'), showAs });
      expect(await busy(day), showAs).toBe(showAs === 'free' ? 0 : 1);
    }
  });

  it('an occurrence that moves to another place does not get the address of its series', async () => {
    if (provider === 'google') return;
    const series = await create({ recurrence: ['RRULE:FREQ=DAILY;COUNT=3'], location: 'Room 1' });
    const second = `${series.id}_20260303T080000Z`;
    await change(second, { location: 'Elsewhere' });
    await change(series.id, { locationDetails: PLACE });
    expect(await get(second)).not.toHaveProperty('locationDetails');
    expect(await get(`${series.id}_20260304T080000Z`)).toMatchObject({ location: 'Room 1', locationDetails: PLACE });
  });

  it('attendees are required, optional or resources; absent keeps the kind', async () => {
    const attendees = [
      { email: 'ann@else.example' },
      { email: 'bob@else.example', kind: 'optional' },
      { email: 'room@else.example', kind: 'resource' },
    ];
    const kinds = ({ attendees }: Json) => attendees.map(({ kind }: Json) => kind).sort();
    const event = await create({ attendees });
    expect(kinds(event)).toEqual(['optional', 'required', 'resource']);
    await settled(event);
    const more = [...attendees.map(({ email }) => ({ email })), { email: 'cleo@else.example' }];
    const after = await change(event.id, { attendees: more });
    expect(kinds(after)).toEqual(['optional', 'required', 'required', 'resource']);
    const people = more.filter(({ email }) => !email.startsWith('room'));
    const all = await change(event.id, { attendees: people.map(({ email }) => ({ email, kind: 'optional' })) });
    expect(kinds(all)).toEqual(['optional', 'optional', 'optional']);
    await settled(all);
    const other = people.map(({ email }) => ({ email, kind: 'resource' }));
    const resources = await put(event.id, { attendees: other });
    if (provider === 'google') expectProblem(resources, 422, 'UnsupportedByProvider', 'attendees');
    else expect(kinds(body(resources))).toEqual(['resource', 'resource', 'resource']);
    expect(kinds(await get(event.id))).toEqual(Array(3).fill(provider === 'google' ? 'optional' : 'resource'));
  });

  it('an rsvp takes a comment', async () => {
    const event = await create({ attendees: [{ email: guest.email }] });
    const copies = body(await world.call('GET', eventsPath(guest))).data;
    const own = copies.find(({ iCalUid }: Json) => iCalUid === event.iCalUid);
    const rsvp = (sent: Json, parameters: Record<string, string> = {}) =>
      world.call('POST', `${eventsPath(guest, own.id)}/rsvp${query(parameters)}`, { body: sent });
    body(await rsvp({ responseStatus: 'tentative', comment: 'A bit late' }));
    clock.pass(MINUTE_MS);
    const [attendee] = (await get(event.id)).attendees;
    expect(attendee).toMatchObject({ responseStatus: 'tentative', kind: 'required' });
    expect(attendee.comment).toBe(provider === 'google' ? 'A bit late' : undefined);
    const quiet = await rsvp({ responseStatus: 'accepted', comment: 'x' }, { notifyAttendees: 'none' });
    if (provider === 'google') body(quiet);
    else expectProblem(quiet, 422, 'UnsupportedByProvider', 'comment');
    expectProblem(await rsvp({ responseStatus: 'accepted', comment: 7 }), 400, 'InvalidRequest', 'comment');
  });

  it('eventTypes selects kinds of events, in lists, occurrences and exact sync results', async () => {
    const person = await world.connect(provider);
    const at = eventsPath(person);
    const make = async (fields: Json) =>
      body(await world.call('POST', at, { body: { title: 'Event', ...TIMES, ...fields } }), 201);
    const plain = await make({});
    const away = await make({ eventType: 'outOfOffice' });
    const daily = await make({ recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
    if (provider === 'google') {
      await world.atProvider('google', person.email, 'POST', `/calendars/${encodeURIComponent(person.email)}/events`, {
        summary: 'Birthday',
        eventType: 'birthday',
        start: { date: '2026-03-05' },
        end: { date: '2026-03-06' },
        visibility: 'private',
        transparency: 'transparent',
        recurrence: ['RRULE:FREQ=YEARLY'],
        birthdayProperties: { type: 'self' },
      });
      clock.pass(MINUTE_MS);
    }
    const titles = async (parameters: Record<string, string | boolean>) =>
      (await readAll(world, at, parameters)).data
        .map(({ eventType, providerEventType }: Json) => providerEventType ?? eventType)
        .sort();
    expect(await titles({ eventTypes: 'outOfOffice' })).toEqual(['outOfOffice']);
    expect(await titles({ eventTypes: 'default,outOfOffice' })).toEqual(['default', 'default', 'outOfOffice']);
    expect(await titles({ eventTypes: 'birthday' })).toEqual(provider === 'google' ? ['birthday'] : []);
    expect(await titles({})).toHaveLength(provider === 'google' ? 4 : 3);
    const window = {
      startDateTime: '2026-03-01T00:00:00Z',
      endDateTime: '2026-03-31T00:00:00Z',
      expandRecurrences: true,
    };
    expect(await titles({ ...window, eventTypes: 'default' })).toEqual(['default', 'default', 'default', 'default']);

    const { data, nextSyncToken } = await readAll(world, at, { eventTypes: 'default' });
    expect(data.map(({ id }: Json) => id).sort()).toEqual([plain.id, daily.id].sort());
    body(await world.call('PUT', eventsPath(person, away.id), { body: { title: 'Still away' } }));
    body(await world.call('PUT', eventsPath(person, plain.id), { body: { title: 'Still plain' } }));
    const changes = await readAll(world, at, { syncToken: nextSyncToken });
    expect(changes.data.map(({ title }: Json) => title)).toEqual(['Still plain']);
    const other = await world.call('GET', `${at}${query({ syncToken: nextSyncToken, eventTypes: 'birthday' })}`);
    expectProblem(other, 400, 'SyncTokenMismatch', 'eventTypes');
    body(await world.call('GET', `${at}${query({ syncToken: nextSyncToken, eventTypes: 'default' })}`));
    expectProblem(
      await world.call('GET', `${at}${query({ eventTypes: 'holiday' })}`),
      400,
      'InvalidRequest',
      'eventTypes',
    );
    if (provider === 'google') return;
    // An event that leaves the selection is to be dropped, one that enters it is shown.
    body(await world.call('PUT', eventsPath(person, plain.id), { body: { eventType: 'outOfOffice' } }));
    body(await world.call('PUT', eventsPath(person, away.id), { body: { eventType: 'default' } }));
    const moved = await readAll(world, at, { syncToken: changes.nextSyncToken });
    expect(moved.data.map(({ id, isDeleted }: Json) => [id, isDeleted ?? false]).sort()).toEqual(
      [
        [away.id, false],
        [plain.id, true],
      ].sort(),
    );
  });
});
