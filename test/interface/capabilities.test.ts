import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movableClock } from './movable-clock.ts';
import { body, type Connected, calendarsPath, eventsPath, expectProblem, query } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type ProviderName, type World } from './world.ts';

const MINUTE_MS = 60_000;
const clock = movableClock();
let world: World;
beforeAll(async () => {
  world = await createWorld({ clock });
});
afterAll(() => world.close());

const BERLIN = 'Europe/Berlin';
const hour = (day: string) => ({
  start: { dateTime: `${day}T09:00:00`, timeZone: BERLIN },
  end: { dateTime: `${day}T10:00:00`, timeZone: BERLIN },
});
const MONDAY = hour('2026-03-02');
const overrides = (...methods: readonly string[]) => ({
  useDefault: false,
  isReminderOn: true,
  overrides: methods.map((method, index) => ({ method, minutes: 10 * (index + 1) })),
});

/** Something that the interface lets a client ask of an event. */
interface Wish {
  /** The field that a refusal names, and that shows the wish when it is granted. */
  readonly field: string;
  /** The body of the create; the wish itself unless there is an update. */
  readonly made: Readonly<Record<string, unknown>>;
  readonly update?: Readonly<Record<string, unknown>>;
  readonly isSecondary?: true;
  /** Providers that refuse it. */
  readonly refusedBy?: readonly ProviderName[];
}

const GOOGLE = ['google'] as const;
const GRAPH = ['microsoft'] as const;
const BOTH = ['google', 'microsoft'] as const;

const value = (field: string, wanted: unknown, refusedBy?: Wish['refusedBy']): Wish => ({
  field,
  made: { [field]: wanted },
  ...(refusedBy === undefined ? {} : { refusedBy }),
});
const rule = (line: string, refusedBy?: Wish['refusedBy'], day = '2026-03-02'): Wish => {
  const wish = value('recurrence', line.split(' '), refusedBy);
  return { ...wish, made: { ...wish.made, ...hour(day) } };
};
const derived = (field: string, wanted: unknown): Wish => ({
  field,
  made: {},
  update: { [field]: wanted },
  refusedBy: BOTH,
});

/** A wish that no provider refuses is granted, and read back as sent. */
const WISHES: Readonly<Record<string, Wish>> = {
  'default visibility': value('visibility', 'default'),
  'public visibility': value('visibility', 'public'),
  'private visibility': value('visibility', 'private'),
  'confidential visibility': value('visibility', 'confidential'),
  'free time': value('transparency', 'transparent'),
  'busy time': value('transparency', 'opaque'),
  'public properties': value('publicExtendedProperties', { a: '1', ü: '🗓' }),
  'private properties': value('privateExtendedProperties', { a: '1', 'x y': '' }),
  'the first colour': value('colorId', '1'),
  'the last colour': value('colorId', '11'),
  'a colour beyond them': value('colorId', '12', GOOGLE),
  'a colour of its own': value('customColor', '#a1b2c3'),

  'default reminders': value('reminders', { useDefault: true }),
  'no reminders': value('reminders', { useDefault: false, isReminderOn: false, overrides: [] }),
  'one popup': value('reminders', overrides('popup')),
  'one e-mail': value('reminders', overrides('email')),
  'five reminders': value('reminders', overrides('popup', 'email', 'popup', 'popup', 'email')),
  'default reminders beside others': value('reminders', { ...overrides('popup'), useDefault: true }, GOOGLE),

  'a day out of office': value('eventType', 'outOfOffice'),
  'focus time': value('eventType', 'focusTime', GRAPH),
  'out of office on a secondary calendar': { ...value('eventType', 'outOfOffice', GOOGLE), isSecondary: true },
  'focus time on a secondary calendar': { ...value('eventType', 'focusTime', BOTH), isSecondary: true },
  'to become out of office': {
    field: 'eventType',
    made: {},
    update: { eventType: 'outOfOffice' },
    refusedBy: GOOGLE,
  },
  'to be in the office again': {
    field: 'eventType',
    made: { eventType: 'outOfOffice' },
    update: { eventType: 'default' },
    refusedBy: GOOGLE,
  },
  'out of office for whole days': {
    field: 'isAllDay',
    made: {
      eventType: 'outOfOffice',
      isAllDay: true,
      start: { dateTime: '2026-03-02' },
      end: { dateTime: '2026-03-04' },
    },
    refusedBy: GOOGLE,
  },
  'out of office but free': {
    field: 'transparency',
    made: { eventType: 'outOfOffice', transparency: 'transparent' },
    refusedBy: GOOGLE,
  },
  'out of office in company': {
    field: 'attendees',
    made: { eventType: 'outOfOffice', attendees: [{ email: 'ann@x.example', name: 'Ann' }] },
    refusedBy: GOOGLE,
  },

  'every day': rule('RRULE:FREQ=DAILY'),
  'every third day, five times': rule('RRULE:FREQ=DAILY;INTERVAL=3;COUNT=5'),
  'until a moment': rule('RRULE:FREQ=DAILY;UNTIL=20260401T070000Z'),
  'on weekdays': rule('RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR'),
  'every other week from Sunday on': rule('RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU'),
  'on a day of the month': rule('RRULE:FREQ=MONTHLY;BYMONTHDAY=2'),
  'on the first Monday': rule('RRULE:FREQ=MONTHLY;BYDAY=1MO'),
  'on the last Friday': rule('RRULE:FREQ=MONTHLY;BYDAY=-1FR', undefined, '2026-03-27'),
  'on the last weekday': rule('RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', undefined, '2026-03-31'),
  'on a date of the year': rule('RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=2'),
  'on the first Monday of March': rule('RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=1MO'),
  'without one day': rule('RRULE:FREQ=DAILY;COUNT=5 EXDATE:20260303T080000Z'),
  'a thousand times': rule('RRULE:FREQ=DAILY;COUNT=1000', GRAPH),
  'every hundred weeks': rule('RRULE:FREQ=WEEKLY;INTERVAL=100', GRAPH),
  'on the 31st': rule('RRULE:FREQ=MONTHLY;BYMONTHDAY=31', GRAPH, '2026-03-31'),
  'on two days of the month': rule('RRULE:FREQ=MONTHLY;BYMONTHDAY=2,16', GRAPH),
  'on the last but one Friday': rule('RRULE:FREQ=MONTHLY;BYDAY=-2FR', GRAPH, '2026-03-20'),
  'on two Mondays': rule('RRULE:FREQ=MONTHLY;BYDAY=1MO,3MO', GRAPH),
  'in two months': rule('RRULE:FREQ=YEARLY;BYMONTH=3,9;BYMONTHDAY=2', GRAPH),
  'on a day of the year': rule('RRULE:FREQ=YEARLY;BYYEARDAY=61', GRAPH),
  'in a week of the year': rule('RRULE:FREQ=YEARLY;BYWEEKNO=10;BYDAY=MO', GRAPH),
  'on one more day': rule('RRULE:FREQ=DAILY;COUNT=2 RDATE:20260310T080000Z', GRAPH),
  'on days alone': rule('RDATE:20260310T080000Z', GRAPH),

  'a meeting of another provider': value('generateMeetingUrlProvider', 'somebodyElses', BOTH),
  'a meeting by hand': value(
    'conferenceData',
    { conferenceId: 'one', conferenceType: 'addOn', joinUrl: 'https://video.example/1' },
    GRAPH,
  ),

  'an answer for another attendee': value('attendees', [{ email: 'ann@x.example', responseStatus: 'accepted' }], BOTH),
  'to be recurring without a rule': derived('isRecurring', true),
  'to be an exception': derived('isException', true),
  'to belong to another series': derived('recurringEventId', 'another'),
  'another original start': derived('originalStart', MONDAY.start),
  'another link': derived('webLink', 'https://elsewhere.test/'),
  'another organizer': derived('organizer', { email: 'boss@elsewhere.test', isSelf: false }),
  'another creator': derived('creator', { email: 'boss@elsewhere.test' }),
};

describe.each(PROVIDERS)('what events of $providerType can hold', ({ provider, providerType }) => {
  let account: Connected;
  let guest: Connected;
  let secondary: Connected;
  beforeAll(async () => {
    account = await world.connect(provider);
    guest = await world.connect(provider);
    const made = await world.call('POST', calendarsPath(account.accountId), { body: { name: 'Beside' } });
    secondary = { ...account, calendarId: body(made, 201).id };
  });
  const post = (at: Connected, fields: Readonly<Record<string, unknown>>) =>
    world.call('POST', eventsPath(at), { body: { title: 'Wish', ...MONDAY, ...fields } });
  const count = async (at: Connected) => {
    clock.pass(MINUTE_MS);
    return body(await world.call('GET', `${eventsPath(at)}${query({ limit: 1000 })}`)).data.length;
  };
  const read = async (at: Connected, id: string) => {
    clock.pass(MINUTE_MS);
    return body(await world.call('GET', eventsPath(at, id)));
  };

  it.each(Object.entries(WISHES))('%s', async (_name, { field, made, update, isSecondary, refusedBy = [] }) => {
    const at = isSecondary === true ? secondary : account;
    const isRefused = refusedBy.some((name) => name === provider);
    if (update === undefined && isRefused) {
      const before = await count(at);
      expectRefusal(await post(at, made), field);
      expect(await count(at)).toBe(before);
      return;
    }
    const event = body(await post(at, made), 201);
    if (update === undefined) {
      expect(event[field]).toEqual(shownAs(field, made[field]));
      expect(await read(at, event.id)).toEqual(event);
      return;
    }
    const answer = await world.call('PUT', eventsPath(at, event.id), { body: { title: 'Changed', ...update } });
    if (isRefused) expectRefusal(answer, field);
    else expect(body(answer)).toMatchObject({ title: 'Changed', ...update });
    expect(await read(at, event.id)).toEqual(isRefused ? event : answer.body);
  });

  const series = async () => body(await post(account, { recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] }), 201);
  const secondOf = ({ id }: Json) => eventsPath(account, `${id}_20260303T080000Z`);

  it('a cancelled occurrence is brought back', async () => {
    const second = secondOf(await series());
    body(await world.call('DELETE', second));
    expect(body(await world.call('GET', second)).isCancelled).toBe(true);
    const back = body(await world.call('PUT', second, { body: { isCancelled: false } }));
    expect(back).toMatchObject({ isCancelled: false, start: { dateTime: '2026-03-03T09:00:00+01:00' } });
    clock.pass(MINUTE_MS);
    expect(body(await world.call('GET', second)).isCancelled).toBe(false);
  });

  it('an occurrence is moved past its neighbour on Google alone', async () => {
    const second = secondOf(await series());
    const answer = await world.call('PUT', second, { body: hour('2026-03-05') });
    if (provider === 'google') expect(body(answer).start.dateTime).toBe('2026-03-05T09:00:00+01:00');
    else expectRefusal(answer, 'start');
  });

  it('a meeting is taken away on Google alone', async () => {
    for (const field of ['generateMeetingUrlProvider', 'conferenceData']) {
      const calendar = body(await world.call('GET', calendarsPath(account.accountId, account.calendarId)));
      const generateMeetingUrlProvider = calendar.defaultOnlineMeetingProvider;
      const event = body(await post(account, { generateMeetingUrlProvider }), 201);
      const answer = await world.call('PUT', eventsPath(account, event.id), { body: { [field]: null } });
      if (provider === 'google') expect(body(answer)).not.toHaveProperty('conferenceData');
      else expectRefusal(answer, field);
    }
  });

  it('an answer is taken back on Google alone', async () => {
    const title = `Invitation ${providerType}`;
    body(await post(account, { title, attendees: [{ email: guest.email }] }), 201);
    clock.pass(MINUTE_MS);
    const [theirs] = body(await world.call('GET', `${eventsPath(guest)}${query({ search: title })}`)).data;
    const at = eventsPath(guest, theirs.id);
    body(await world.call('PUT', at, { body: { myResponseStatus: 'accepted' } }));
    const answer = await world.call('PUT', at, { body: { myResponseStatus: null } });
    if (provider === 'google') expect(body(answer).myResponseStatus).toBe('needsAction');
    else expectProblem(answer, 422, 'UnsupportedByProvider');
  });

  function expectRefusal(answer: Parameters<typeof expectProblem>[0], field: string): void {
    expectProblem(answer, 422, 'UnsupportedByProvider');
    const paths = answer.body.details.map(({ path }: Json) => path.split('.')[0]);
    expect(paths).toContain(field);
  }
});

/** Attendees have an id besides, and a conference the provider's own words for it. */
function shownAs(field: string, asked: unknown): unknown {
  if (field === 'attendees' && Array.isArray(asked)) return asked.map((attendee) => expect.objectContaining(attendee));
  return field === 'conferenceData' ? expect.objectContaining(asked as object) : asked;
}

describe.each(PROVIDERS)('meeting providers of calendars of $providerType', ({ provider }) => {
  const DAY_MS = 24 * 60 * MINUTE_MS;
  const makeSecondary = async ({ accountId }: Connected, name: string) =>
    body(await world.call('POST', calendarsPath(accountId), { body: { name } }), 201);
  const meet = (at: Connected, generateMeetingUrlProvider: string) =>
    world.call('POST', eventsPath(at), { body: { title: 'Meeting', ...MONDAY, generateMeetingUrlProvider } });
  const entryOf = async ({ accountId, calendarId }: Connected) => {
    clock.pass(DAY_MS + 60 * MINUTE_MS);
    return body(await world.call('GET', calendarsPath(accountId, calendarId)));
  };

  it('a secondary and a shared calendar name theirs, and make no others', async () => {
    const [owner, other] = [await world.connect(provider), await world.connect(provider)];
    const { id } = await makeSecondary(owner, 'Shared');
    const calendarId = world.sandbox[provider].shareCalendar({
      ownerEmail: owner.email,
      calendarId: id,
      withEmail: other.email,
      role: 'writer',
    });
    for (const at of [
      { ...owner, calendarId: id },
      { ...other, calendarId },
    ]) {
      const { allowedOnlineMeetingProviders, defaultOnlineMeetingProvider, readOnly } = await entryOf(at);
      expect(readOnly).toBe(false);
      expect([...allowedOnlineMeetingProviders, '']).toContain(defaultOnlineMeetingProvider);
      for (const name of allowedOnlineMeetingProviders) {
        expect(body(await meet(at, name), 201).conferenceData.joinUrl).toMatch(/^https:/);
      }
      expectProblem(await meet(at, 'zoom'), 422, 'UnsupportedByProvider', 'generateMeetingUrlProvider');
    }
  });

  it('a read-only calendar refuses writes', async () => {
    const [owner, reader] = [await world.connect(provider), await world.connect(provider)];
    const { id } = await makeSecondary(owner, 'For reading');
    const event = body(
      await world.call('POST', eventsPath({ ...owner, calendarId: id }), { body: { title: 'Theirs', ...MONDAY } }),
      201,
    );
    const calendarId = world.sandbox[provider].shareCalendar({
      ownerEmail: owner.email,
      calendarId: id,
      withEmail: reader.email,
      role: 'reader',
    });
    const at = { ...reader, calendarId };
    const entry = await entryOf(at);
    expect(entry.readOnly).toBe(true);
    expect([...entry.allowedOnlineMeetingProviders, '']).toContain(entry.defaultOnlineMeetingProvider);
    const [seen] = body(await world.call('GET', eventsPath(at))).data;
    expect(seen.title).toBe(event.title);
    const one = eventsPath(at, seen.id);
    for (const answer of [
      await meet(at, entry.defaultOnlineMeetingProvider),
      await world.call('PUT', one, { body: { customColor: '#123456' } }),
      await world.call('PUT', one, { body: { isCancelled: true } }),
      await world.call('PUT', one, { body: { myResponseStatus: 'declined' } }),
      await world.call('DELETE', one),
      await world.call('POST', `${one}/rsvp`, { body: { responseStatus: 'accepted' } }),
    ]) {
      expectProblem(answer, 403, 'CalendarReadOnly');
    }
  });

  it('a calendar without any makes none', async () => {
    const owner = await world.connect(provider);
    const { id: calendarId, defaultOnlineMeetingProvider } = await makeSecondary(owner, 'Without');
    const at = { ...owner, calendarId };
    world.sandbox[provider].controls['setOnlineMeetingProviders']?.({
      calendarId,
      providers: [],
      ...(provider === 'google' ? {} : { email: owner.email }),
    });
    const entry = await entryOf(at);
    expect(entry).toMatchObject({ allowedOnlineMeetingProviders: [], defaultOnlineMeetingProvider: '' });
    const answer = await meet(at, defaultOnlineMeetingProvider);
    expectProblem(answer, 422, 'UnsupportedByProvider', 'generateMeetingUrlProvider');
    expect(body(await world.call('GET', eventsPath(at))).data).toEqual([]);
  });
});
