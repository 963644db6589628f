import type { CalendarRef, EventPatch, NewEvent, ProviderEvent, ProviderSession } from 'kalends/ports';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ADA, BEN, createHarness, type Harness, nextRequestId, onlyEvent } from '../harness.ts';

/* An update is a request about what differs, and no request when nothing does: each one mails everybody invited. */

let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;
let event: ProviderEvent;

const ZONE = 'America/New_York';
const input: NewEvent = {
  title: 'Title',
  description: 'Text',
  location: 'Room',
  start: { dateTime: '2026-02-02T09:00:00-05:00', timeZone: ZONE },
  end: { dateTime: '2026-02-02T10:00:00-05:00', timeZone: ZONE },
  attendees: [{ email: BEN, name: 'Ben', kind: 'optional' }],
  visibility: 'public',
  reminders: { useDefault: false, isReminderOn: true, overrides: [{ method: 'email', minutes: 30 }] },
  publicExtendedProperties: { room: '1' },
  recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
};

beforeAll(async () => {
  harness = await createHarness();
  session = await harness.session(ADA);
  calendar = await harness.primary(ADA);
});
afterAll(() => harness.close());
beforeEach(async () => {
  event = onlyEvent(await harness.provider.events.create(session, calendar, input, { requestId: nextRequestId() }));
  harness.sandbox.requests.clear();
});

async function update(patch: EventPatch): Promise<ProviderEvent> {
  const target = { kind: 'event', providerEventId: event.providerEventId, current: event } as const;
  return onlyEvent(await harness.provider.events.update(session, calendar, target, patch, {}));
}

/** The bodies of the updates that were sent. */
const sent = (): Record<string, unknown>[] =>
  harness.sandbox.requests
    .list()
    .filter(({ method }) => method === 'PATCH')
    .map(({ requestBody }) => JSON.parse(requestBody ?? '{}'));
const PROPERTIES = 'singleValueExtendedProperties';

test.each<[EventPatch, readonly string[]]>([
  [{ title: 'Other' }, ['subject']],
  [{ title: null }, ['subject']],
  [{ description: 'Other' }, ['body']],
  [{ description: 'Other\r\nline' }, ['body', PROPERTIES]],
  [{ location: null }, ['location']],
  [{ visibility: 'default' }, [PROPERTIES]],
  [{ visibility: 'private' }, [PROPERTIES, 'sensitivity']],
  [{ transparency: 'transparent' }, ['showAs']],
  [{ eventType: 'outOfOffice' }, ['showAs']],
  [{ colorId: '4' }, [PROPERTIES]],
  [{ customColor: '#123456' }, [PROPERTIES]],
  [{ publicExtendedProperties: { room: '2' } }, [PROPERTIES]],
  [{ reminders: null }, [PROPERTIES, 'isReminderOn', 'reminderMinutesBeforeStart']],
  [{ reminders: { overrides: [{ method: 'popup', minutes: 30 }] } }, [PROPERTIES]],
  [{ attendees: [{ email: BEN }, { email: 'cy@else.test' }] }, ['attendees']],
  [{ attendees: null }, ['attendees']],
  [{ recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] }, [PROPERTIES, 'recurrence']],
  [{ recurrence: null }, [PROPERTIES, 'recurrence']],
])('%j sends what it is about', async (patch, fields) => {
  await update({ ...input, ...patch });
  const [body = {}, ...others] = sent();
  expect(others).toEqual([]);
  expect(Object.keys(body).sort()).toEqual([...fields].sort());
});

test('what the event says already is not sent', async () => {
  const { content } = event;
  const { title, description, location, start, end, isAllDay, visibility, transparency, eventType, reminders } =
    content!;
  const { publicExtendedProperties, privateExtendedProperties, recurrence } = content!;
  const attendees = content!.attendees.map(({ email, name, responseStatus }) => ({ email, name, responseStatus }));
  const read = { title, description, location, start, end, isAllDay, visibility, transparency, eventType, reminders };
  const after = await update({ ...read, attendees, publicExtendedProperties, privateExtendedProperties, recurrence });
  await update({ attendees: [{ email: BEN.toUpperCase() }], colorId: null, customColor: null, conferenceData: null });
  await update(input);
  expect(sent()).toEqual([]);
  expect(after).toEqual(event);
});

test('states that say more than the neutral model stay while they fit', async () => {
  for (const [own, patch] of [
    [{ showAs: 'workingElsewhere' }, { transparency: 'opaque', eventType: 'default' }],
    [{ showAs: 'tentative' }, { transparency: null }],
    [{ sensitivity: 'personal' }, { visibility: 'private' }],
    [{ location: { displayName: 'Room', address: { city: 'Oslo' } } }, { location: 'Room' }],
    [
      { location: { displayName: 'Room', address: { city: 'Bonn' } } },
      { locationDetails: { address: { city: 'Bonn' } } },
    ],
    [{ categories: ['Red'] }, { title: 'Title' }],
  ] as const) {
    await harness.graph(ADA, 'PATCH', `me/events/${event.providerEventId}`, own);
    harness.sandbox.requests.clear();
    await update(patch);
    expect(sent()).toEqual([]);
    await update({ title: JSON.stringify(own), ...patch });
    expect(await harness.graph(ADA, 'GET', `me/events/${event.providerEventId}`)).toMatchObject(own);
    await update({ title: 'Title' });
  }
});

test('a kind of attendee is kept unless another one is asked for', async () => {
  const kindAfter = async (attendees: EventPatch['attendees']) =>
    (await update({ attendees })).content?.attendees[0]?.kind;
  expect(await kindAfter([{ email: BEN, name: 'Benjamin' }])).toBe('optional');
  expect(await kindAfter([{ email: BEN, kind: 'resource' }])).toBe('resource');
  const required = await update({ attendees: [{ email: BEN, kind: 'required', name: null }] });
  expect(required.content?.attendees).toEqual([
    { id: BEN, name: '', email: BEN, responseStatus: 'needsAction', kind: 'required' },
  ]);
});

test('the time that a guest proposes stays when another guest is invited or the guest gets a name', async () => {
  const graph = (email: string, method: string, path: string, body?: object) =>
    harness.graph(email, method, `me/${path}`, body);
  await update({ title: 'With proposals' });
  const copies = await graph(BEN, 'GET', `events?$filter=subject eq 'With proposals'`);
  const proposedNewTime = {
    start: { dateTime: '2026-02-03T14:00:00.0000000', timeZone: 'UTC' },
    end: { dateTime: '2026-02-03T15:00:00.0000000', timeZone: 'UTC' },
  };
  await graph(BEN, 'POST', `events/${copies.value[0].id}/tentativelyAccept`, { proposedNewTime });
  await update({ attendees: [{ email: BEN }, { email: 'cy@else.test' }] });
  await update({ attendees: [{ email: BEN, name: 'Benjamin', kind: 'required' }, { email: 'cy@else.test' }] });
  const { attendees } = await graph(ADA, 'GET', `events/${event.providerEventId}`);
  expect(attendees).toMatchObject([
    { proposedNewTime, status: { response: 'tentativelyAccepted' }, emailAddress: { name: 'Benjamin' } },
    { emailAddress: { address: 'cy@else.test' } },
  ]);
});

test('who organizes an event has accepted it, also as one of its attendees', async () => {
  const after = await update({ attendees: [{ email: ADA, responseStatus: 'accepted' }, { email: BEN }] });
  expect(after.content?.attendees.map(({ responseStatus }) => responseStatus)).toEqual(['accepted', 'needsAction']);
  await expect(update({ attendees: [{ email: 'new@else.test', responseStatus: 'accepted' }] })).rejects.toMatchObject({
    reason: 'unsupported',
    field: 'attendees',
  });
});
