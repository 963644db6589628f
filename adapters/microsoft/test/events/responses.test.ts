import type { CalendarRef, EventChange, EventTarget, ProviderEvent, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADA, BEN, collect, createHarness, type Harness, onlyEvent, onlySeries } from '../harness.ts';

let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;

beforeEach(async () => {
  harness = await createHarness();
  session = await harness.session(BEN);
  calendar = await harness.primary(BEN);
});
afterEach(() => harness.close());

const invitation = {
  subject: 'Invitation',
  start: { dateTime: '2026-01-12T09:00:00', timeZone: 'UTC' },
  end: { dateTime: '2026-01-12T10:00:00', timeZone: 'UTC' },
  attendees: [{ emailAddress: { address: BEN, name: 'Ben' }, type: 'required' }],
};
const daily = {
  recurrence: {
    pattern: { type: 'daily', interval: 1 },
    range: { type: 'numbered', startDate: '2026-01-12', numberOfOccurrences: 4 },
  },
};

async function invite(more: object = {}): Promise<EventChange> {
  await harness.graph(ADA, 'POST', 'me/events', { ...invitation, ...more });
  const { changes } = await collect(harness.provider.events.pull(session, calendar, null));
  return changes[0]!;
}

const whole = (current: ProviderEvent): EventTarget => ({
  kind: 'event',
  providerEventId: current.providerEventId,
  current,
});

const respond = (target: EventTarget, response: 'needsAction' | 'accepted' | 'tentative' | 'declined', tag?: string) =>
  harness.provider.events.respond(session, calendar, target, response, tag === undefined ? {} : { ifMatch: tag });

test('accepted and tentative are sent and shown, to the organizer too', async () => {
  const event = onlyEvent([await invite()]);
  expect(event.content?.myResponseStatus).toBe('needsAction');
  for (const response of ['tentative', 'accepted'] as const) {
    const after = onlyEvent(await respond(whole(event), response));
    expect(after.content?.myResponseStatus).toBe(response);
    const { value } = await harness.graph(ADA, 'GET', 'me/events');
    expect(value[0].attendees[0].status.response).toBe(response === 'tentative' ? 'tentativelyAccepted' : 'accepted');
  }
});

test("on another person's calendar the account does not answer in that person's name", async () => {
  const event = onlyEvent([await invite()]);
  const id = harness.sandbox.microsoft.shareCalendar({
    ownerEmail: BEN,
    calendarId: calendar.id,
    withEmail: ADA,
    role: 'writer',
  });
  const theirs = { ...calendar, id, isPrimary: false, isShared: true };
  const ada = await harness.session(ADA);
  harness.sandbox.requests.clear();
  await expect(harness.provider.events.respond(ada, theirs, whole(event), 'accepted', {})).rejects.toMatchObject({
    reason: 'forbidden',
  });
  expect(harness.sandbox.requests.list()).toEqual([]);
});

test('needsAction is fine while it is so and impossible afterwards', async () => {
  const event = onlyEvent([await invite()]);
  expect(onlyEvent(await respond(whole(event), 'needsAction')).content?.myResponseStatus).toBe('needsAction');
  await respond(whole(event), 'accepted');
  await expect(respond(whole(event), 'needsAction')).rejects.toMatchObject({
    reason: 'unsupported',
    field: 'responseStatus',
  });
});

test('a declined event leaves Graph and is answered as a record of our own', async () => {
  const event = onlyEvent([await invite()]);
  const declined = onlyEvent(await respond(whole(event), 'declined'));
  expect(declined).toEqual({
    ...event,
    content: {
      ...event.content,
      myResponseStatus: 'declined',
      attendees: [expect.objectContaining({ email: BEN, responseStatus: 'declined' })],
    },
    isKeptLocally: true,
  });
  expect(await harness.provider.events.get(session, calendar, event.providerEventId)).toEqual([
    { kind: 'deleted', providerEventId: event.providerEventId },
  ]);
  expect(await respond(whole(declined), 'declined')).toEqual([{ kind: 'event', event: declined }]);
  await expect(respond(whole(declined), 'needsAction')).rejects.toMatchObject({
    reason: 'unsupported',
    field: 'responseStatus',
  });
  await expect(respond(whole(event), 'accepted')).rejects.toMatchObject({ reason: 'not-found' });
});

test('one occurrence is declined, the others stay', async () => {
  const { master } = onlySeries([await invite(daily)]);
  const recurrenceId = { kind: 'instant', startMs: Date.UTC(2026, 0, 13, 9) } as const;
  const current = { ...master, providerEventId: '', seriesId: master.providerEventId, recurrenceId };
  const target = { kind: 'occurrence', seriesId: master.providerEventId, recurrenceId, current, master } as const;
  const series = onlySeries(await respond(target, 'declined'));
  expect(series.master.content?.myResponseStatus).toBe('needsAction');
  expect(series.exceptions).toEqual([
    expect.objectContaining({
      recurrenceId,
      isCancelled: false,
      isKeptLocally: true,
      content: expect.objectContaining({ myResponseStatus: 'declined' }),
    }),
  ]);
});

test('a declined series keeps its exceptions in the record', async () => {
  const { master } = onlySeries([await invite(daily)]);
  const declined = onlySeries(await respond(whole(master), 'declined'));
  expect(declined.master).toMatchObject({
    content: { myResponseStatus: 'declined' },
    isKeptLocally: true,
  });
});

test('where no answer was asked for, none is sent', async () => {
  const event = onlyEvent([await invite({ responseRequested: false })]);
  expect(onlyEvent(await respond(whole(event), 'accepted')).content?.myResponseStatus).toBe('accepted');
  expect(harness.sandbox.requests.list().filter(({ path }) => path.endsWith('/accept'))).toHaveLength(1);
});

test('the organizer has nothing to answer; a stale tag answers nothing', async () => {
  const event = onlyEvent([await invite()]);
  await expect(respond(whole(event), 'accepted', 'W/"stale"')).rejects.toMatchObject({
    reason: 'precondition-failed',
  });
  const adas = await harness.session(ADA);
  const adasCalendar = await harness.primary(ADA);
  const { changes } = await collect(harness.provider.events.pull(adas, adasCalendar, null));
  await expect(
    harness.provider.events.respond(adas, adasCalendar, whole(onlyEvent(changes)), 'accepted', {}),
  ).rejects.toMatchObject({ reason: 'forbidden' });
});

test('a declined event comes back with another answer while it lies among the deleted items', async () => {
  const event = onlyEvent([await invite()]);
  for (const response of ['accepted', 'tentative'] as const) {
    const declined = onlyEvent(await respond(whole(event), 'declined'));
    const back = onlyEvent(await respond(whole(declined), response));
    expect(back.isKeptLocally).toBeUndefined();
    expect(back.providerEventId).toBe(event.providerEventId);
    expect(back.content).toMatchObject({
      myResponseStatus: response,
      attendees: [{ email: BEN, responseStatus: response }],
    });
    const { changes } = await collect(harness.provider.events.pull(session, calendar, null));
    expect(onlyEvent(changes).content?.myResponseStatus).toBe(response);
    const { value } = await harness.graph(ADA, 'GET', 'me/events');
    expect(value[0].attendees[0].status.response).toBe(response === 'tentative' ? 'tentativelyAccepted' : 'accepted');
  }
  const declined = onlyEvent(await respond(whole(event), 'declined'));
  harness.sandbox.microsoft.controls['emptyDeletedItems']?.({ email: BEN });
  await expect(respond(whole(declined), 'accepted')).rejects.toMatchObject({
    reason: 'unsupported',
    field: 'responseStatus',
  });
});
