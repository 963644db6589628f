import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sizeOf } from '../size-of.ts';
import { calendarEvent } from './shapes.ts';
import { body, type Connected, calendarsPath, checkProblem, eventsPath } from './steps.ts';
import { type Answer, createWorld, type Json, PROVIDERS, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** Fields, values and texts that some code treats specially. */
const FIELDS = [
  ...['title', 'start', 'end', 'isAllDay', 'recurrence', 'attendees', 'description', 'reminders', 'conferenceData'],
  ...['publicExtendedProperties', 'privateExtendedProperties', 'isCancelled', 'myResponseStatus', 'visibility'],
  ...[
    'transparency',
    'eventType',
    'colorId',
    'customColor',
    'generateMeetingUrlProvider',
    'organizer',
    'originalStart',
  ],
  ...['recurringEventId', 'name', 'hexColor', 'timeZone', 'email', 'providerType', 'refreshToken', 'externalId', 'id'],
  ...['startDateTime', 'endDateTime', 'calendarIds', 'calendarId', 'webhookUrl', 'rateLimit', 'subscriptionId', 'etag'],
  ...['responseStatus', 'dateTime', 'subscriptionType', '__proto__', 'constructor', 'toString', 'location'],
];
const odd = fc.constantFrom(
  ...['', ' ', '\0', '\ud800', '..', '../..', '%', '%00', '%2f', '"', "'; DROP TABLE events; --", '\n', '🦄'],
  ...['true', 'false', '1', '-1', '1e9', 'NaN', '9'.repeat(400), 'null', 'undefined', '{}', '[]', '{"a":"b"}'],
  ...[
    '2026-03-02T09:00:00Z',
    '2026-03-02T09:00:00',
    '2026-03-02',
    '0000-00-00',
    '9999-12-31T23:59:59Z',
    '-271821-04-20',
  ],
  ...['+275760-09-13T00:00:00Z', '2026-03-08T02:30:00', 'America/New_York', 'Eastern Standard Time', 'Etc/GMT+14'],
  ...['startDateTime', 'updatedDateTime', 'active', 'accepted', 'none', 'PROVIDER_A', 'PROVIDER_B', '#a1b2c3'],
  ...['RRULE:FREQ=DAILY;COUNT=3', 'RRULE:FREQ=DAILY;INTERVAL=999999999', 'RRULE:FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=2'],
  ...[
    'RDATE:99991231T235959Z',
    'EXDATE;TZID=Nowhere:20260302T090000',
    'RRULE:',
    'a@b.example',
    'https://receiver.test/',
  ],
  ...['https://10.0.0.1/', 'x'.repeat(2_000)],
);
const text = fc.oneof({ weight: 3, arbitrary: odd }, { weight: 1, arbitrary: fc.string({ unit: 'binary' }) });
const key = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...FIELDS) }, { weight: 1, arbitrary: text });
const { value } = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    text,
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
}));
/** Nearly right bodies get farther than random ones. */
const near = fc.record(
  {
    title: fc.oneof(fc.constant('x'), value),
    start: fc.oneof(
      fc.constant({ dateTime: '2026-03-02T09:00:00Z' }),
      fc.record({ dateTime: text, timeZone: text }),
      value,
    ),
    end: fc.oneof(fc.constant(undefined), fc.record({ dateTime: text }), value),
    isAllDay: fc.oneof(fc.constant(undefined), value),
    recurrence: fc.oneof(fc.constant(undefined), fc.array(text, { maxLength: 3 })),
    attendees: fc.oneof(
      fc.constant(undefined),
      fc.array(fc.record({ email: text, responseStatus: text }), { maxLength: 2 }),
    ),
    responseStatus: text,
    name: text,
    hexColor: text,
    timeZone: text,
  },
  { requiredKeys: [] },
);
const sentBody = fc.oneof(
  value,
  near.map((object) => JSON.parse(JSON.stringify(object))),
  near,
);
/** Events that are right but for, perhaps, one thing. */
const moment = fc.record(
  {
    dateTime: fc.oneof(
      fc
        .tuple(
          fc.constantFrom(
            '2026-03-02',
            '2026-03-08',
            '2026-11-01',
            '1970-01-01',
            '0001-01-01',
            '9999-12-31',
            '2028-02-29',
          ),
          fc.constantFrom('', 'T00:00:00', 'T02:30:00', 'T09:00:00.123', 'T23:59:59', 'T09:00:60', 'T24:00:00'),
          fc.constantFrom('', '', 'Z', '+14:00', '-12:00', '+00:00', '+25:00'),
        )
        .map((parts) => parts.join('')),
      text,
    ),
    timeZone: fc.constantFrom(
      ...[
        'Europe/Berlin',
        'America/New_York',
        'UTC',
        'Etc/UTC',
        'Asia/Kathmandu',
        'Australia/Lord_Howe',
        'Pacific/Apia',
      ],
      ...[
        'Eastern Standard Time',
        'Africa/Casablanca',
        'Antarctica/Troll',
        'EST5EDT',
        'GMT',
        'europe/berlin',
        'Nowhere',
      ],
    ),
  },
  { requiredKeys: ['dateTime'] },
);
const rule = fc
  .tuple(
    fc.constantFrom('FREQ=DAILY', 'FREQ=WEEKLY', 'FREQ=MONTHLY', 'FREQ=YEARLY', 'FREQ=HOURLY', 'freq=daily'),
    fc.constantFrom(
      '',
      ';COUNT=3',
      ';COUNT=99999',
      ';UNTIL=20270101',
      ';UNTIL=20270101T000000Z',
      ';COUNT=1;UNTIL=20270101',
    ),
    fc.constantFrom('', ';INTERVAL=2', ';INTERVAL=0', ';INTERVAL=1000', ';BYDAY=MO', ';BYDAY=-1FR', ';BYMONTHDAY=-1'),
    fc.constantFrom('', '', ';BYSETPOS=1', ';WKST=SU', ';BYMONTH=2', ';BYYEARDAY=366', ';BYWEEKNO=53', ';BYHOUR=3'),
  )
  .map((parts) => `RRULE:${parts.join('')}`);
const lines = fc.oneof(
  rule.map((line) => [line]),
  fc.tuple(rule, fc.constantFrom('EXDATE:20260303T090000Z', 'RDATE;VALUE=DATE:20260401', 'RDATE:20260401T090000Z')),
);
const nearlyRight = fc.record(
  {
    title: fc.oneof(fc.constant('x'), text),
    start: moment,
    end: fc.oneof(fc.constant(null), moment),
    isAllDay: fc.boolean(),
    recurrence: fc.oneof(fc.constant(null), lines),
    description: text,
    location: text,
    visibility: fc.constantFrom('default', 'public', 'private', 'confidential', null),
    transparency: fc.constantFrom('transparent', 'opaque', null),
    eventType: fc.constantFrom('default', 'outOfOffice', 'focusTime', null),
    attendees: fc.constantFrom([], null, [
      { email: 'a@b.example' },
      { email: 'A@b.example', responseStatus: 'accepted' },
    ]),
    publicExtendedProperties: fc.dictionary(text, text, { maxKeys: 3 }),
    privateExtendedProperties: fc.dictionary(text, text, { maxKeys: 3 }),
    reminders: fc.constantFrom(null, {}, { useDefault: true }, { overrides: [{ method: 'email', minutes: 40_320 }] }),
    colorId: fc.constantFrom('1', '11', '99', 'x', null),
    customColor: fc.oneof(fc.constantFrom('#a1b2c3', null), text),
    conferenceData: fc.constantFrom(null, {}, { joinUrl: 'https://meet.example/x' }, { conferenceId: '' }),
    generateMeetingUrlProvider: fc.constantFrom('hangoutsMeet', 'teamsForBusiness', 'zoom', null),
    isCancelled: fc.boolean(),
    myResponseStatus: fc.constantFrom('accepted', 'needsAction', null),
  },
  { requiredKeys: [] },
);
const few = fc.tuple(nearlyRight, fc.integer({ min: 0, max: 4 }), fc.nat()).map(([fields, count, from]) => {
  const entries = Object.entries(fields);
  return Object.fromEntries(entries.slice(from % (entries.length + 1)).slice(0, count));
});
/** Anything but a fault: answered, as documented, and never by a 5xx but the two that say "later". */
function checkAnswer(answer: Answer, what: string): void {
  expect(answer.headers.get('x-request-id'), what).not.toBeNull();
  if (answer.status < 400) return;
  const isLater = answer.status === 503 && answer.body.code === 'CalendarSyncing';
  expect(answer.status < 500 || isLater, `${what}: ${JSON.stringify(answer.body)}`).toBe(true);
  expect(answer.headers.get('content-type'), what).toBe('application/problem+json');
  checkProblem(answer);
}

describe.each(PROVIDERS)('whatever is sent ($providerType)', ({ provider }) => {
  let account: Connected;
  let event: Json;
  beforeAll(async () => {
    account = await world.connect(provider);
    const sent = {
      title: 'Kept',
      start: { dateTime: '2026-03-02T09:00:00Z' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    };
    event = body(await world.call('POST', eventsPath(account), { body: sent }), 201);
  });

  const paths = () => {
    const { accountId, calendarId } = account;
    return [
      ['GET', '/v1/endUserAccounts'],
      ['POST', '/v1/endUserAccounts'],
      ['POST', `/v1/freeBusy/${accountId}`],
      ['POST', '/v1/freeBusy'],
      ['POST', '/v1/availability'],
      ['POST', '/v1/availability/explain'],
      ['GET', calendarsPath(accountId)],
      ['POST', calendarsPath(accountId)],
      ['PUT', calendarsPath(accountId, calendarId)],
      ['GET', eventsPath(account)],
      ['POST', eventsPath(account)],
      ['GET', eventsPath(account, event.id)],
      ['PUT', eventsPath(account, event.id)],
      ['PUT', eventsPath(account, `${event.id}_20260303T090000Z`)],
      ['POST', `${eventsPath(account, event.id)}/rsvp`],
      ['GET', `${eventsPath(account, event.id)}/occurrences`],
      ['GET', `/v1/calendarSubscriptions/${accountId}`],
      ['POST', `/v1/calendarSubscriptions/${accountId}`],
      ['DELETE', `/v1/calendarSubscriptions/${accountId}`],
      ['GET', `/v1/oauth/authorize/${world.applicationId}/provider_a`],
      ['GET', '/v1/oauth/callback/provider_b'],
    ] as const;
  };

  it('bodies: no fault, and an answer that refuses changes nothing', { timeout: 900_000 }, async () => {
    const writes = () => paths().filter(([method]) => method !== 'GET');
    const state = async () => [
      body(await world.call('GET', `${eventsPath(account)}?limit=1000`)).data,
      body(await world.call('GET', calendarsPath(account.accountId))).data,
      body(await world.call('GET', '/v1/endUserAccounts')).data,
      body(await world.call('GET', `/v1/calendarSubscriptions/${account.accountId}`)).data,
    ];
    let known = await state();
    await fc.assert(
      fc.asyncProperty(fc.nat(), sentBody, async (pick, sent) => {
        const [method, path] = writes()[pick % writes().length] as readonly [string, string];
        const answer = await world.call(method, path, { body: JSON.stringify(sent) ?? 'null' });
        checkAnswer(answer, `${method} ${path} ${JSON.stringify(sent)}`);
        const now = await state();
        if (answer.status >= 400) expect(now).toEqual(known);
        known = now;
      }),
      { numRuns: sizeOf('runs', { short: 100, long: 1_000 }) },
    );
  });

  it('events that are nearly right: no fault, and what is created can be read', { timeout: 900_000 }, async () => {
    // A mailbox of its own: the engine keeps to the provider's quota per mailbox and minute.
    const account = await world.connect(provider);
    const valid = { title: 'x', start: { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' } };
    await fc.assert(
      fc.asyncProperty(few, few, async (created, changed) => {
        const sent = { ...valid, ...created };
        const what = `${JSON.stringify(sent)} then ${JSON.stringify(changed)}`;
        const answer = await world.call('POST', eventsPath(account), { body: sent });
        checkAnswer(answer, what);
        if (answer.status !== 201) return;
        expect(calendarEvent(answer.body), what).toBeUndefined();
        const path = eventsPath(account, answer.body.id);
        expect(body(await world.call('GET', path)), what).toEqual(answer.body);
        const expanded =
          '?expandRecurrences=true&orderBy=startDateTime&startDateTime=2026-03-01&endDateTime=2026-04-01';
        for (const event of body(await world.call('GET', `${eventsPath(account)}${expanded}`)).data) {
          expect(calendarEvent(event), what).toBeUndefined();
        }
        const update = await world.call('PUT', path, { body: changed });
        checkAnswer(update, what);
        if (update.status === 200) expect(calendarEvent(update.body), what).toBeUndefined();
        const read = await world.call('GET', path);
        if (update.status !== 200) expect(body(read), what).toEqual(answer.body);
        checkAnswer(await world.call('DELETE', path), what);
      }),
      { numRuns: sizeOf('runs', { short: 30, long: 300 }) },
    );
  });

  it('paths with broken escapes, endless depth and every header: no fault', async () => {
    for (const path of ['/v1/calendars/%', '/v1/calendars/%zz', '/v1/events/%ff/%c0%ae', '//v1//events', '/', '/v1']) {
      checkAnswer(await world.call('GET', path), path);
    }
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const sent of [deep, `{"title":${deep}}`, `{"conferenceData":{"a":${deep}}}`]) {
      checkAnswer(await world.call('POST', eventsPath(account), { body: sent }), 'deep');
    }
    for (const [name, given] of [
      ['if-match', '"'],
      ['if-match', '"x'.repeat(2_000)],
      ['content-type', 'application/json; charset=utf-16'],
      ['content-type', 'x'],
      ['x-request-id', '<script>'],
      ['content-length', '-1'],
      ['cookie', '=;=;__Host-='],
    ] as const) {
      const put = await world.call('PUT', eventsPath(account, event.id), { body: '{}', headers: { [name]: given } });
      checkAnswer(put, `${name}: ${given}`);
    }
  });
});
