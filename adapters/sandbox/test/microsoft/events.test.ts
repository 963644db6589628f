import { beforeEach, describe, expect, test } from 'vitest';
import { createHarness, type Harness, type Json, type Person, timed } from './harness.ts';

const PROPERTY = 'String {66f5a359-4659-4830-9070-00047ec6ac6e} Name intent';

let harness: Harness;
let ada: Person;

beforeEach(async () => {
  harness = createHarness();
  ada = await harness.person('ada@contoso.test');
});

const patch = (id: string, body: Json, headers: Record<string, string> = {}) =>
  ada.call('PATCH', `/me/events/${id}`, body, headers);

async function refusal(body: Json): Promise<[number, string, string]> {
  const answer = await ada.call('POST', '/me/events', body);
  return [answer.status, answer.body.error?.code, answer.body.error?.message];
}

describe('create and read', () => {
  test('a created event comes back with Graph’s defaults, in UTC', async () => {
    const created = await ada.create(timed('Review', '2026-03-02T09:00:00', 'America/New_York'));
    expect(created).toMatchObject({
      subject: 'Review',
      start: { dateTime: '2026-03-02T14:00:00.0000000', timeZone: 'UTC' },
      end: { dateTime: '2026-03-02T15:00:00.0000000', timeZone: 'UTC' },
      originalStartTimeZone: 'America/New_York',
      createdDateTime: '2026-01-05T12:00:00.0000000Z',
      type: 'singleInstance',
      isOrganizer: true,
      isDraft: false,
      showAs: 'busy',
      importance: 'normal',
      sensitivity: 'normal',
      seriesMasterId: null,
      recurrence: null,
      attendees: [],
      categories: [],
      onlineMeeting: null,
      onlineMeetingProvider: 'unknown',
      responseStatus: { response: 'organizer', time: '0001-01-01T00:00:00Z' },
      organizer: { emailAddress: { address: 'ada@contoso.test', name: 'Ada' } },
    });
    expect(created).not.toHaveProperty('originalStart');
    expect(created).not.toHaveProperty('singleValueExtendedProperties');
    expect(created['@odata.etag']).toBe(`W/"${created.changeKey}"`);
    expect(created.iCalUId).toMatch(/^040000008200E00074C5B7101A82E008/);
    expect(await ada.read(`/me/events/${created.id}`)).toMatchObject({ id: created.id, subject: 'Review' });
    expect(await ada.read(`/me/calendar/events('${created.id}')`)).toMatchObject({ id: created.id });
  });

  test('a transaction id answers the event it made before', async () => {
    const body = { ...timed('Review', '2026-03-02T09:00:00'), transactionId: 't-1' };
    const first = await ada.create(body);
    const second = await ada.create({ ...body, subject: 'Again' });
    expect(second).toMatchObject({ id: first.id, subject: 'Review', transactionId: 't-1' });
    expect((await ada.read('/me/events')).value).toHaveLength(1);
    expect((await patch(first.id, { transactionId: 't-2' })).status).toBe(400);
  });

  test('enums are read in any case, annotations dropped, read-only properties ignored', async () => {
    const created = await ada.create({
      ...timed('Review', '2026-03-02T09:00:00'),
      showAs: 'FREE',
      body: { contentType: 'HTML', content: '<b>hi</b>' },
      id: 'mine',
      isOrganizer: false,
      '@odata.type': '#microsoft.graph.event',
      location: { displayName: 'Room 1', '@odata.type': '#microsoft.graph.location' },
    });
    expect(created).toMatchObject({
      showAs: 'free',
      isOrganizer: true,
      location: { displayName: 'Room 1', uniqueId: 'Room 1', uniqueIdType: 'private' },
      locations: [{ displayName: 'Room 1' }],
    });
  });

  test('unknown properties and wrong types fail the whole request', async () => {
    const base = timed('Review', '2026-03-02T09:00:00');
    expect(await refusal({ ...base, title: 'x' })).toEqual([
      400,
      'RequestBodyRead',
      expect.stringContaining("'title' does not exist"),
    ]);
    expect((await refusal({ ...base, subject: 5 }))[1]).toBe('RequestBodyRead');
    expect((await refusal({ ...base, showAs: 'away' }))[1]).toBe('RequestBodyRead');
    expect((await ada.call('POST', '/me/events', '{"subject":')).body.error.code).toBe('BadRequest');
  });

  test('start and end are required, in order', async () => {
    const { start, end } = timed('Review', '2026-03-02T09:00:00');
    expect((await refusal({ start }))[1]).toBe('ErrorPropertyValidationFailure');
    expect((await refusal({ start: end, end: start }))[1]).toBe('ErrorCalendarEndDateIsEarlierThanStartDate');
    expect((await refusal({ start: { dateTime: '2026-02-30T09:00:00' }, end }))[1]).toBe(
      'ErrorPropertyValidationFailure',
    );
    expect((await refusal({ start, end: { ...end, timeZone: 'Mars/Olympus' } }))[1]).toBe(
      'TimeZoneNotSupportedException',
    );
  });

  test('at most 500 attendees', async () => {
    const attendees = Array.from({ length: 501 }, (_, n) => ({ emailAddress: { address: `p${n}@x.test` } }));
    expect((await refusal(timed('Big', '2026-03-02T09:00:00', 'UTC', { attendees })))[0]).toBe(400);
  });
});

describe('times', () => {
  test('Prefer outlook.timezone moves every time, in either naming, and is echoed', async () => {
    const { id } = await ada.create(timed('Review', '2026-03-02T14:00:00'));
    for (const zone of ['Pacific Standard Time', 'America/Los_Angeles']) {
      const answer = await ada.get(`/me/events/${id}`, { prefer: `outlook.timezone="${zone}"` });
      expect(answer.body.start).toEqual({ dateTime: '2026-03-02T06:00:00.0000000', timeZone: zone });
      expect(answer.headers.get('preference-applied')).toContain(zone);
    }
    const unknown = await ada.get(`/me/events/${id}`, { prefer: 'outlook.timezone="Nowhere"' });
    expect([unknown.status, unknown.body.error.code]).toEqual([400, 'TimeZoneNotSupportedException']);
  });

  test('fractions of up to seven digits, Windows zones and offsets are read', async () => {
    const created = await ada.create({
      start: { dateTime: '2026-07-01T09:30:15.1234567', timeZone: 'W. Europe Standard Time' },
      end: { dateTime: '2026-07-01T11:00:00+02:00', timeZone: 'Europe/Berlin' },
    });
    expect(created.start.dateTime).toBe('2026-07-01T07:30:15.1230000');
    expect(created.end.dateTime).toBe('2026-07-01T09:00:00.0000000');
    expect(created.originalStartTimeZone).toBe('W. Europe Standard Time');
  });

  test('all-day events float: midnight labelled UTC whatever zone is asked', async () => {
    const created = await ada.create({
      subject: 'Holiday',
      isAllDay: true,
      start: { dateTime: '2026-03-02T00:00:00', timeZone: 'Asia/Tokyo' },
      end: { dateTime: '2026-03-03T00:00:00', timeZone: 'Asia/Tokyo' },
    });
    const seen = await ada.read(`/me/events/${created.id}`, { prefer: 'outlook.timezone="Pacific Standard Time"' });
    expect(seen.start).toEqual({ dateTime: '2026-03-02T00:00:00.0000000', timeZone: 'UTC' });
    expect(seen.end).toEqual({ dateTime: '2026-03-03T00:00:00.0000000', timeZone: 'UTC' });
    expect(seen.originalStartTimeZone).toBe('Asia/Tokyo');
  });

  test.each([
    ['2026-03-02T00:30:00', 'UTC', '2026-03-03T00:00:00', 'UTC', 'midnight'],
    ['2026-03-02T00:00:00', 'UTC', '2026-03-03T00:00:00', 'Europe/Berlin', 'same time zone'],
    ['2026-03-02T00:00:00', 'UTC', '2026-03-02T00:00:00', 'UTC', '24 hours'],
  ])('an all-day event must be whole days in one zone: %s %s – %s %s', async (start, startZone, end, endZone, words) => {
    const [status, code, message] = await refusal({
      isAllDay: true,
      start: { dateTime: start, timeZone: startZone },
      end: { dateTime: end, timeZone: endZone },
    });
    expect([status, code]).toEqual([400, 'ErrorInvalidRequest']);
    expect(message).toContain(words);
  });

  test('zones may come back under Windows names', async () => {
    harness.control('setZoneNaming', { naming: 'windows' });
    const created = await ada.create(timed('Review', '2026-03-02T09:00:00', 'Europe/Paris'));
    expect(created.originalStartTimeZone).toBe('Romance Standard Time');
  });

  test('a label that no table knows can be put on a calendar’s zones', async () => {
    const { id } = await ada.create(timed('Review', '2026-03-02T09:00:00', 'Europe/Paris'));
    harness.control('setZoneLabel', { email: 'ada@contoso.test', label: 'tzone://Microsoft/Custom' });
    const seen = await ada.read(`/me/events/${id}`);
    expect(seen.originalStartTimeZone).toBe('tzone://Microsoft/Custom');
    expect(seen.start.dateTime).toBe('2026-03-02T08:00:00.0000000');
  });
});

describe('change', () => {
  test('PATCH changes what is sent and nothing else', async () => {
    const { id, changeKey } = await ada.create(
      timed('Review', '2026-03-02T09:00:00', 'UTC', { location: { displayName: 'Room 1' }, categories: ['Red'] }),
    );
    harness.kernel.clock.advance(1000);
    const { status, body } = await patch(id, { subject: 'Retro', showAs: 'oof' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      subject: 'Retro',
      showAs: 'oof',
      categories: ['Red'],
      location: { displayName: 'Room 1' },
      lastModifiedDateTime: '2026-01-05T12:00:01.0000000Z',
    });
    expect(body.changeKey).not.toBe(changeKey);
    expect((await patch(id, { location: null, categories: null })).body).toMatchObject({
      locations: [],
      categories: [],
    });
  });

  test('If-Match: the current key or *, else 412', async () => {
    const { id, '@odata.etag': first } = await ada.create(timed('Review', '2026-03-02T09:00:00'));
    const { body } = await patch(id, { subject: 'A' }, { 'if-match': first });
    expect(body.subject).toBe('A');
    const stale = await patch(id, { subject: 'B' }, { 'if-match': first });
    expect([stale.status, stale.body.error.code]).toEqual([412, 'ErrorIrresolvableConflict']);
    expect((await ada.call('DELETE', `/me/events/${id}`, undefined, { 'if-match': first })).status).toBe(412);
    expect((await patch(id, { subject: 'C' }, { 'if-match': '*' })).status).toBe(200);
  });

  test('a change key may move again after the write', async () => {
    harness.control('setExtraChangeKeys', { share: 1 });
    const { id, '@odata.etag': told } = await ada.create(timed('Review', '2026-03-02T09:00:00'));
    const seen = await ada.read(`/me/events/${id}`);
    expect(seen['@odata.etag']).not.toBe(told);
    expect(seen.subject).toBe('Review');
  });

  test('a fresh server does so for a share of the writes', async () => {
    const odd = createHarness({ odd: true });
    const person = await odd.person('ada@contoso.test');
    let moved = 0;
    for (let n = 0; n < 60; n += 1) {
      const { id, changeKey } = await person.create(timed(`E${n}`, '2026-03-02T09:00:00'));
      if ((await person.read(`/me/events/${id}`)).changeKey !== changeKey) moved += 1;
    }
    expect(moved).toBeGreaterThan(2);
    expect(moved).toBeLessThan(30);
  });

  test('bumpChangeKeys changes every key and no content', async () => {
    const before = await ada.create(timed('Review', '2026-03-02T09:00:00'));
    expect(harness.control('bumpChangeKeys', { email: 'ada@contoso.test' })).toEqual({ bumped: 1 });
    const after = await ada.read(`/me/events/${before.id}`);
    expect(after.changeKey).not.toBe(before.changeKey);
    expect(after.subject).toBe(before.subject);
  });

  test('DELETE once, 404 after', async () => {
    const { id } = await ada.create(timed('Review', '2026-03-02T09:00:00'));
    expect((await ada.call('DELETE', `/me/events/${id}`)).status).toBe(204);
    expect((await ada.call('DELETE', `/me/events/${id}`)).body.error.code).toBe('ErrorItemNotFound');
  });

  test('attendees are replaced whole', async () => {
    const attendees = [
      { emailAddress: { address: 'x@else.test', name: 'X' } },
      { emailAddress: { address: 'y@else.test' }, type: 'optional' },
    ];
    const { id } = await ada.create(timed('Review', '2026-03-02T09:00:00', 'UTC', { attendees }));
    const { body } = await patch(id, { attendees: [attendees[1]] });
    expect(body.attendees).toEqual([
      {
        emailAddress: { address: 'y@else.test', name: 'y@else.test' },
        type: 'optional',
        status: { response: 'none', time: '0001-01-01T00:00:00Z' },
      },
    ]);
  });

  test('malformed ids are 400, unknown ones 404', async () => {
    expect((await ada.get('/me/events/hello')).body.error.code).toBe('ErrorInvalidIdMalformed');
    const { id } = await ada.create(timed('Review', '2026-03-02T09:00:00'));
    await ada.call('DELETE', `/me/events/${id}`);
    expect((await ada.get(`/me/events/${id}`)).body.error.code).toBe('ErrorItemNotFound');
  });

  test('unknown addresses and methods are errors in Graph’s form', async () => {
    expect((await ada.get('/me/contacts')).status).toBe(400);
    expect((await ada.call('PUT', '/me/events', {})).status).toBe(405);
  });
});

describe('immutable ids', () => {
  const immutable = { prefer: 'IdType="ImmutableId"' };

  test('differ from ordinary ones; both find the event; they translate', async () => {
    const ordinary = await ada.create(timed('Review', '2026-03-02T09:00:00'));
    const same = await ada.read(`/me/events/${ordinary.id}`, immutable);
    expect(same.id).not.toBe(ordinary.id);
    expect((await ada.read(`/me/events/${same.id}`)).id).toBe(ordinary.id);
    const { body } = await ada.call('POST', '/me/translateExchangeIds', {
      inputIds: [ordinary.id, 'junk'],
      sourceIdType: 'restId',
      targetIdType: 'restImmutableEntryId',
    });
    expect(body.value[0]).toEqual({ sourceId: ordinary.id, targetId: same.id });
    expect(body.value[1].errorDetails.code).toBe('ErrorInvalidIdMalformed');
  });
});

describe('body', () => {
  test('HTML comes as a document, text when preferred', async () => {
    const { id, body, bodyPreview } = await ada.create(
      timed('Review', '2026-03-02T09:00:00', 'UTC', { body: { contentType: 'html', content: '<p>a &amp; b</p>' } }),
    );
    expect(body).toEqual({ contentType: 'html', content: '<html><head></head><body><p>a &amp; b</p></body></html>' });
    expect(bodyPreview.trim()).toBe('a & b');
    const text = await ada.read(`/me/events/${id}`, { prefer: 'outlook.body-content-type="text"' });
    expect(text.body).toEqual({ contentType: 'text', content: 'a & b\n' });
    harness.control('setHtmlWrapping', { enabled: false });
    expect((await ada.read(`/me/events/${id}`)).body.content).toBe('<p>a &amp; b</p>');
  });

  test('text is escaped into HTML unless text is preferred', async () => {
    const { id, body } = await ada.create(
      timed('Review', '2026-03-02T09:00:00', 'UTC', { body: { contentType: 'text', content: '1 < 2\nyes' } }),
    );
    expect(body.content).toContain('1 &lt; 2<br>yes');
    const text = await ada.read(`/me/events/${id}`, { prefer: 'outlook.body-content-type="text"' });
    expect(text.body.content).toBe('1 < 2\nyes');
  });
});

describe('online meetings', () => {
  const online = { isOnlineMeeting: true, onlineMeetingProvider: 'teamsForBusiness' };

  test('get a join link where the calendar allows them', async () => {
    const { id, onlineMeeting, body, isOnlineMeeting } = await ada.create(
      timed('Call', '2026-03-02T09:00:00', 'UTC', online),
    );
    expect(isOnlineMeeting).toBe(true);
    expect(onlineMeeting.joinUrl).toMatch(/^https:/);
    expect(body.content).toContain(onlineMeeting.joinUrl);
    expect((await patch(id, { isOnlineMeeting: false })).body.onlineMeeting).toEqual(onlineMeeting);
  });

  test('are silently ignored elsewhere', async () => {
    harness.control('setOnlineMeetingProviders', { email: 'ada@contoso.test', providers: [] });
    const created = await ada.create(timed('Call', '2026-03-02T09:00:00', 'UTC', online));
    expect(created).toMatchObject({ isOnlineMeeting: false, onlineMeeting: null, onlineMeetingProvider: 'unknown' });
  });

  test('are lost with a body that drops the link, kept with one that has it', async () => {
    const { id, body } = await ada.create(timed('Call', '2026-03-02T09:00:00', 'UTC', online));
    const kept = await patch(id, { body: { contentType: 'html', content: `Agenda${body.content}` } });
    expect(kept.body.isOnlineMeeting).toBe(true);
    const lost = await patch(id, { body: { contentType: 'html', content: 'Agenda' } });
    expect(lost.body).toMatchObject({ isOnlineMeeting: false, onlineMeeting: null });
  });
});

describe('extended properties', () => {
  const expand = (filter: string) =>
    `$expand=${encodeURIComponent(`singleValueExtendedProperties($filter=${filter})`)}`;

  test('come by $expand with their id, in either case of the GUID', async () => {
    const { id } = await ada.create(
      timed('Review', '2026-03-02T09:00:00', 'UTC', {
        singleValueExtendedProperties: [{ id: PROPERTY, value: 'i-1' }],
      }),
    );
    const upper = PROPERTY.replace('66f5a359', '66F5A359');
    for (const name of [PROPERTY, upper]) {
      const seen = await ada.read(`/me/events/${id}?${expand(`id eq '${name}'`)}`);
      expect(seen.singleValueExtendedProperties).toEqual([{ id: PROPERTY, value: 'i-1' }]);
    }
    expect(await ada.read(`/me/events/${id}?${expand(`id eq '${PROPERTY}x'`)}`)).not.toHaveProperty(
      'singleValueExtendedProperties',
    );
  });

  test('PATCH merges them', async () => {
    const second = `${PROPERTY}2`;
    const { id } = await ada.create(
      timed('Review', '2026-03-02T09:00:00', 'UTC', {
        singleValueExtendedProperties: [{ id: PROPERTY, value: 'i-1' }],
      }),
    );
    await patch(id, { singleValueExtendedProperties: [{ id: second, value: 'two' }] });
    const filter = `id eq '${PROPERTY}' or id eq '${second}'`;
    expect((await ada.read(`/me/events/${id}?${expand(filter)}`)).singleValueExtendedProperties).toHaveLength(2);
    await patch(id, { singleValueExtendedProperties: [{ id: PROPERTY, value: null }] });
    expect((await ada.read(`/me/events/${id}?${expand(filter)}`)).singleValueExtendedProperties).toEqual([
      { id: second, value: 'two' },
    ]);
  });

  test('find events by any()', async () => {
    const { id } = await ada.create(
      timed('Review', '2026-03-02T09:00:00', 'UTC', {
        singleValueExtendedProperties: [{ id: PROPERTY, value: 'i-1' }],
      }),
    );
    await ada.create(timed('Other', '2026-03-02T09:00:00'));
    const find = async (value: string) => {
      const filter = `singleValueExtendedProperties/Any(ep: ep/id eq '${PROPERTY}' and ep/value eq '${value}')`;
      return (await ada.read(`/me/events?$filter=${encodeURIComponent(filter.replace('Any', 'any'))}`)).value;
    };
    expect((await find('i-1')).map((event: Json) => event.id)).toEqual([id]);
    expect(await find('i-2')).toEqual([]);
  });

  test('ids that MAPI would not know are refused', async () => {
    const [status] = await refusal(
      timed('Review', '2026-03-02T09:00:00', 'UTC', { singleValueExtendedProperties: [{ id: 'intent', value: 'x' }] }),
    );
    expect(status).toBe(400);
  });
});

describe('lists', () => {
  const subjects = async (query: string) =>
    (await ada.read(`/me/events?${query}`)).value.map(({ subject }: Json) => subject);

  beforeEach(async () => {
    for (const [subject, day] of [
      ['Alpha', '03'],
      ["Bob's", '01'],
      ['Gamma', '02'],
    ] as const) {
      await ada.create(
        timed(subject, `2026-03-${day}T09:00:00`, 'UTC', { showAs: subject === 'Gamma' ? 'free' : 'busy' }),
      );
      harness.kernel.clock.advance(60_000);
    }
  });

  test.each([
    ["start/dateTime ge '2026-03-02T00:00:00'", ['Alpha', 'Gamma']],
    ["start/dateTime lt '2026-03-02T09:00:00'", ["Bob's"]],
    ["subject eq 'Bob''s'", ["Bob's"]],
    ['lastModifiedDateTime ge 2026-01-05T12:01:00Z', ["Bob's", 'Gamma']],
    ["contains(subject,'ALPH') or startswith(subject,'Gam')", ['Alpha', 'Gamma']],
    ["not (showAs eq 'free') and isAllDay eq false", ['Alpha', "Bob's"]],
    ["type eq 'seriesMaster'", []],
  ])('$filter=%s', async (filter, expected) => {
    expect(await subjects(`$filter=${encodeURIComponent(filter)}`)).toEqual(expected);
  });

  test('$filter by iCalUId and transactionId', async () => {
    const event = await ada.create({ ...timed('Delta', '2026-03-05T09:00:00'), transactionId: 't-9' });
    expect(await subjects(`$filter=iCalUId eq '${event.iCalUId}'`)).toEqual(['Delta']);
    expect(await subjects("$filter=transactionId eq 't-9'")).toEqual(['Delta']);
  });

  test('$filter with bad syntax is 400', async () => {
    for (const filter of ['subject like 3', 'subject eq', '(subject eq 1', "subject eq 'a' b"]) {
      expect((await ada.get(`/me/events?$filter=${encodeURIComponent(filter)}`)).status).toBe(400);
    }
  });

  test('$orderby, both directions', async () => {
    expect(await subjects('$orderby=start/dateTime')).toEqual(["Bob's", 'Gamma', 'Alpha']);
    expect(await subjects('$orderby=start/dateTime desc')).toEqual(['Alpha', 'Gamma', "Bob's"]);
  });

  test('$select keeps the id and the etag', async () => {
    const { value } = await ada.read('/me/events?$select=subject,start&$top=1');
    expect(Object.keys(value[0]).sort()).toEqual(['@odata.etag', 'id', 'start', 'subject']);
  });

  test('pages by $top, at most 1000', async () => {
    const { items, pages } = await ada.all('/me/events?$top=2&$orderby=subject');
    expect([items.map(({ subject }) => subject), pages]).toEqual([['Alpha', "Bob's", 'Gamma'], 2]);
    expect((await ada.get('/me/events?$top=1001')).status).toBe(400);
    expect((await ada.get('/me/events?$top=x')).status).toBe(400);
  });
});

describe('throttling', () => {
  test('above the limit of a mailbox: 429 with Retry-After', async () => {
    harness.control('setConcurrencyLimit', { limit: 4, holdMs: 5 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => ada.get('/me/events')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 429, 429]);
    const throttled = answers.find(({ status }) => status === 429)!;
    expect(throttled.headers.get('retry-after')).toBe('1');
    expect(throttled.body.error).toMatchObject({ code: 'ApplicationThrottled' });
    expect(throttled.body.error.message).toContain('MailboxConcurrency');
    expect((await ada.get('/me/events')).status).toBe(200);
  });
});
