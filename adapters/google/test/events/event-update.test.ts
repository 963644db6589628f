import { describe, expect, test } from 'vitest';
import { ADA, exceptionsIn, failureOf, GRACE, primaryOf, single, slotOf, targetOf } from '../harness.ts';
import { at, calendar, DAY, meeting, NINE, writingStage } from './writing-stage.ts';

const stage = writingStage();
const { ada, create, createSeries, events } = stage;

describe('update', () => {
  test('changes what is sent, clears what is null, leaves the rest', async () => {
    const before = await create({
      ...meeting,
      description: 'd',
      location: 'l',
      colorId: '3',
      customColor: '#000000',
      privateExtendedProperties: { a: '1', b: '2' },
      publicExtendedProperties: { p: '1' },
    });
    const after = single(
      await events().update(
        ada(),
        calendar,
        targetOf(before),
        {
          title: 'New',
          description: null,
          colorId: null,
          customColor: null,
          privateExtendedProperties: { a: null, c: '3' },
          publicExtendedProperties: null,
        },
        {},
      ),
    );
    expect(after.content).toMatchObject({
      title: 'New',
      description: '',
      location: 'l',
      privateExtendedProperties: { b: '2', c: '3' },
      publicExtendedProperties: {},
    });
    expect(after.content).not.toHaveProperty('colorId');
    expect(after.content).not.toHaveProperty('customColor');
    expect(after.providerTag).not.toBe(before.providerTag);
  });

  test('timed to all-day and back', async () => {
    const timed = await create(meeting);
    const allDay = single(
      await events().update(
        ada(),
        calendar,
        targetOf(timed),
        { isAllDay: true, start: at('2026-03-02T00:00:00', ''), end: at('2026-03-03T00:00:00', '') },
        {},
      ),
    );
    expect(allDay.content).toMatchObject({ isAllDay: true, start: { dateTime: '2026-03-02T00:00:00', timeZone: '' } });
    const again = single(
      await events().update(
        ada(),
        calendar,
        targetOf(allDay),
        { isAllDay: false, start: meeting.start, end: meeting.end },
        {},
      ),
    );
    expect(again.content).toMatchObject({ isAllDay: false, start: meeting.start, end: meeting.end });
  });

  test('a series that becomes all-day gets its rule in dates', async () => {
    const series = await createSeries({ recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260310T235959Z'] });
    const after = single(
      await events().update(
        ada(),
        calendar,
        targetOf(series),
        { isAllDay: true, start: at('2026-03-02T00:00:00', ''), end: at('2026-03-03T00:00:00', '') },
        {},
      ),
    );
    expect(after.content?.recurrence).toEqual(['RRULE:FREQ=DAILY;UNTIL=20260310']);
  });

  test('a stale tag is refused and changes nothing', async () => {
    const event = await create(meeting);
    await stage.harness.api(ADA, 'PATCH', `/calendars/primary/events/${event.providerEventId}`, { summary: 'Theirs' });
    const ifMatch = event.providerTag ?? '';
    for (const patch of [{ title: 'Mine' }, { attendees: [{ email: GRACE }] }, {}]) {
      const call = events().update(ada(), calendar, targetOf(event), patch, { ifMatch });
      expect(await failureOf(call)).toMatchObject({ reason: 'precondition-failed' });
    }
    const now = await stage.harness.api(ADA, 'GET', `/calendars/primary/events/${event.providerEventId}`);
    expect(now['summary']).toBe('Theirs');
  });

  test('never resets the answers of guests', async () => {
    const event = await create({ ...meeting, attendees: [{ email: GRACE }] });
    await stage.harness.provider.events.respond(
      stage.harness.sessionOf(GRACE),
      primaryOf(GRACE),
      targetOf(single(await events().get(stage.harness.sessionOf(GRACE), primaryOf(GRACE), event.providerEventId))),
      'accepted',
      {},
    );
    const after = single(
      await events().update(
        ada(),
        calendar,
        // The stored copy is older than Grace's answer.
        targetOf(event),
        { attendees: [{ email: GRACE.toUpperCase(), responseStatus: 'needsAction' }, { email: 'new@example.com' }] },
        {},
      ),
    );
    expect(after.content?.attendees.map(({ email, responseStatus }) => [email, responseStatus])).toEqual([
      [GRACE, 'accepted'],
      ['new@example.com', 'needsAction'],
    ]);
  });

  test('a merge of guests is redone when somebody is faster', async () => {
    const event = await create({ ...meeting, attendees: [{ email: GRACE }] });
    stage.harness.sandbox.faults.arm({
      provider: 'google',
      method: 'PATCH',
      kind: 'answer',
      status: 412,
      times: 2,
      body: { error: { code: 412, message: 'Precondition Failed', errors: [{ reason: 'conditionNotMet' }] } },
    });
    const patch = { attendees: [{ email: GRACE }, { email: 'new@example.com' }] };
    const after = single(await events().update(ada(), calendar, targetOf(event), patch, {}));
    expect(after.content?.attendees).toHaveLength(2);
  });

  test('the answer that nobody saw is not taken for a stale tag', async () => {
    const event = await create(meeting);
    stage.harness.sandbox.faults.arm({
      provider: 'google',
      method: 'PATCH',
      kind: 'answer-after',
      status: 503,
      times: 1,
    });
    const call = events().update(
      ada(),
      calendar,
      targetOf(event),
      { title: 'New' },
      { ifMatch: event.providerTag ?? '' },
    );
    expect(await failureOf(call)).toMatchObject({ reason: 'unavailable' });
  });

  test('sending back what was read writes nothing', async () => {
    const event = await create({
      ...meeting,
      generateMeetingUrlProvider: 'hangoutsMeet',
      attendees: [{ email: GRACE, name: 'Grace' }],
    });
    const { content } = event;
    if (content === null) throw new Error('no content');
    const after = single(
      await events().update(
        ada(),
        calendar,
        targetOf(event),
        {
          conferenceData: structuredClone(content.conferenceData ?? {}),
          generateMeetingUrlProvider: 'hangoutsMeet',
          eventType: content.eventType,
        },
        {},
      ),
    );
    expect(after).toEqual(event);
  });

  test('what the event shows already is not sent', async () => {
    const series = await createSeries({
      attendees: [{ email: GRACE, name: 'Grace' }],
      privateExtendedProperties: { a: '1' },
    });
    const { content } = series;
    if (content === null) throw new Error('no content');
    const { title, start, end, isAllDay, reminders, recurrence } = content;
    const echo = { title, start, end, isAllDay, reminders, recurrence, attendees: [{ email: GRACE }], colorId: null };
    const patch = { ...echo, privateExtendedProperties: { a: '1', b: null } };
    stage.harness.sandbox.requests.clear();
    expect(await events().update(ada(), calendar, targetOf(series), patch, {})).toMatchObject([{ master: series }]);
    const slot = await events().update(ada(), calendar, slotOf(series, NINE + DAY), { title, visibility: null }, {});
    expect(exceptionsIn(slot)).toEqual([]);
    expect(stage.harness.sandbox.requests.list().filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('what the stored copy shows but Google does not any more is sent', async () => {
    const event = await create(meeting);
    await stage.harness.api(ADA, 'PATCH', `/calendars/primary/events/${event.providerEventId}`, { summary: 'Theirs' });
    const after = single(await events().update(ada(), calendar, targetOf(event), { title: 'Planning' }, {}));
    expect(after.content?.title).toBe('Planning');
  });

  test.each([
    ['single event', {}],
    ['series', { recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] }],
  ])('a %s that was deleted at Google is not found, and stays deleted', async (_kind, extra) => {
    const event = await create({ ...meeting, ...extra, attendees: [{ email: GRACE }] });
    const path = `/calendars/primary/events/${event.providerEventId}`;
    await stage.harness.api(ADA, 'DELETE', path);
    stage.harness.sandbox.requests.clear();
    for (const patch of [{ title: 'Planning' }, { title: 'New', attendees: [{ email: GRACE }] }]) {
      const call = events().update(ada(), calendar, targetOf(event), patch, {});
      expect(await failureOf(call)).toMatchObject({ reason: 'not-found' });
    }
    expect(stage.harness.sandbox.requests.list().filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(await stage.harness.api(ADA, 'GET', path)).toMatchObject({ status: 'cancelled' });
  });

  test('a conference can be removed, and given by hand', async () => {
    const event = await create({ ...meeting, generateMeetingUrlProvider: 'hangoutsMeet' });
    const bare = single(await events().update(ada(), calendar, targetOf(event), { conferenceData: null }, {}));
    expect(bare.content).not.toHaveProperty('conferenceData');
    expect(bare.content).not.toHaveProperty('generateMeetingUrlProvider');
    const conferenceData = { conferenceType: 'addOn', joinUrl: 'https://video.example/1', conferenceId: 'one' };
    const given = single(await events().update(ada(), calendar, targetOf(bare), { conferenceData }, {}));
    expect(given.content?.conferenceData).toMatchObject(conferenceData);
  });

  test('a conference that is sent back with another link, type or id is written, with the details or without', async () => {
    const byHand = { conferenceType: 'addOn', joinUrl: 'https://video.example/1', conferenceId: 'one' };
    let event = await create({ ...meeting, conferenceData: byHand });
    for (const change of [
      { joinUrl: 'https://video.example/2' },
      { joinUrl: 'https://video.example/3', conferenceDetails: undefined },
      { conferenceId: 'two' },
      { conferenceType: 'eventHangout' },
    ]) {
      const conferenceData = { ...event.content?.conferenceData, ...change };
      event = single(await events().update(ada(), calendar, targetOf(event), { conferenceData }, {}));
      const { conferenceDetails: _, ...wanted } = conferenceData;
      expect(event.content?.conferenceData).toMatchObject(wanted);
    }
    const { conferenceDetails } = event.content?.conferenceData ?? {};
    const conferenceData = { conferenceId: 'three', conferenceDetails };
    event = single(await events().update(ada(), calendar, targetOf(event), { conferenceData }, {}));
    const shown = event.content?.conferenceData;
    expect(shown).toMatchObject({ conferenceId: 'three', joinUrl: 'https://video.example/3' });
    // A field that is sent back unchanged beside new details says nothing.
    const entryPoints = [{ entryPointType: 'video', uri: 'https://video.example/4' }];
    const moved = { ...shown, conferenceDetails: { ...shown?.conferenceDetails, entryPoints } };
    event = single(await events().update(ada(), calendar, targetOf(event), { conferenceData: moved }, {}));
    expect(event.content?.conferenceData).toMatchObject({ conferenceId: 'three', joinUrl: 'https://video.example/4' });
  });

  test('a link that contradicts new details, or a meeting of Google that stays, is refused', async () => {
    const event = await create({ ...meeting, generateMeetingUrlProvider: 'hangoutsMeet' });
    const shown = event.content?.conferenceData;
    const update = (conferenceData: object) =>
      events().update(ada(), calendar, targetOf(event), { conferenceData: { ...conferenceData } }, {});
    const other = { ...shown, joinUrl: 'https://video.example/1' };
    const entryPoints = [{ entryPointType: 'video', uri: 'https://b.example' }];
    const details = { ...shown?.conferenceDetails, entryPoints };
    const refused: readonly (readonly [object, string])[] = [
      [other, 'conferenceData.joinUrl'],
      [{ ...other, conferenceDetails: details }, 'conferenceData.joinUrl'],
      [{ ...shown, conferenceDetails: details }, 'conferenceData.joinUrl'],
      [{ ...shown, conferenceType: 'addOn' }, 'conferenceData.conferenceType'],
      [{ ...shown, conferenceType: 'addOn', conferenceDetails: details }, 'conferenceData.conferenceType'],
      [{ conferenceDetails: { entryPoints: 5 } }, 'conferenceData'],
    ];
    for (const [conferenceData, field] of refused) {
      expect(await failureOf(update(conferenceData))).toMatchObject({ reason: 'unsupported', field });
    }
    const { conferenceId: _, ...anew } = { ...other, conferenceType: 'addOn' };
    const given = single(await update(anew));
    expect(given.content?.conferenceData).toMatchObject({ joinUrl: other.joinUrl, conferenceType: 'addOn' });
    expect(given.content?.conferenceData).not.toHaveProperty('conferenceId');
  });

  test('the type of an event cannot change', async () => {
    const event = await create(meeting);
    const call = events().update(ada(), calendar, targetOf(event), { eventType: 'focusTime' }, {});
    expect(await failureOf(call)).toMatchObject({ reason: 'unsupported', field: 'eventType' });
  });

  test("a guest may not change the organizer's fields, but their own", async () => {
    const event = await create({ ...meeting, attendees: [{ email: GRACE }] });
    const grace = stage.harness.sessionOf(GRACE);
    const copy = single(await events().get(grace, primaryOf(GRACE), event.providerEventId));
    expect(copy.isOrganizer).toBe(false);
    const call = events().update(grace, primaryOf(GRACE), targetOf(copy), { title: 'Mine' }, {});
    expect(await failureOf(call)).toMatchObject({ reason: 'not-organizer' });
    const patch = { colorId: '4', transparency: 'transparent', customColor: '#ffffff' } as const;
    const after = single(await events().update(grace, primaryOf(GRACE), targetOf(copy), patch, {}));
    expect(after.content).toMatchObject(patch);
  });

  test.each([
    [{ title: 'Mine' }, { reason: 'not-organizer', field: 'title' }],
    // The write changed something: an error that says otherwise would leave it out of the mirror.
    [
      { colorId: '4', end: at('2026-03-02T12:00:00+00:00') },
      { reason: 'partly-taken', field: 'end' },
    ],
    [{ recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] }, { reason: 'not-organizer', field: 'recurrence' }],
    [{ title: meeting.title, colorId: '4' }, undefined],
  ])('a change of a guest that Google ignores silently is refused: %j', async (patch, failure) => {
    const ignoring: typeof fetch = async (input, init) => {
      if (init?.method !== 'PATCH') return fetch(input, init);
      const { start: _, end: __, summary: ___, recurrence: ____, ...body } = JSON.parse(String(init.body));
      return fetch(input, { ...init, body: JSON.stringify(body) });
    };
    await stage.restart({ fetch: ignoring });
    const event = await create({ ...meeting, attendees: [{ email: GRACE }], recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
    const grace = stage.harness.sessionOf(GRACE);
    const copy = single(await events().get(grace, primaryOf(GRACE), event.providerEventId));
    const call = events().update(grace, primaryOf(GRACE), targetOf(copy), patch, {});
    if (failure === undefined) {
      expect(single(await call).content?.colorId).toBe('4');
      return;
    }
    expect(await failureOf(call)).toMatchObject(failure);
    // Once the rest is there, the same change is refused as a whole.
    const now = single(await events().get(grace, primaryOf(GRACE), event.providerEventId));
    const repeated = events().update(grace, primaryOf(GRACE), targetOf(now), patch, {});
    expect(await failureOf(repeated)).toMatchObject({ ...failure, reason: 'not-organizer' });
  });

  test('a series becomes a single event and loses its exceptions', async () => {
    const series = await createSeries();
    await events().delete(ada(), calendar, slotOf(series, NINE + DAY), {});
    const after = await events().update(ada(), calendar, targetOf(series), { recurrence: null }, {});
    expect(exceptionsIn(after)).toEqual([]);
    expect(single(after).content?.recurrence).toBeNull();
  });

  test('isCancelled deletes', async () => {
    const event = await create(meeting);
    const after = await events().update(ada(), calendar, targetOf(event), { isCancelled: true }, {});
    expect(after).toEqual([{ kind: 'deleted', providerEventId: event.providerEventId }]);
  });
});
