import { beforeEach, describe, expect, test } from 'vitest';
import {
  ADA,
  CHARLES,
  EVENTS,
  type Google,
  insert,
  type Json,
  reasonOf,
  startGoogle,
  timed,
  WEEKLY,
} from './harness.ts';

let google: Google;
let event: Json;
const path = () => `${EVENTS}/${event.id}`;

beforeEach(async () => {
  google = startGoogle();
  event = await insert(google, {
    summary: 'Planning',
    ...timed('2026-03-03T09:00:00', '2026-03-03T10:00:00'),
    attendees: [{ email: CHARLES }, { email: ADA }, { email: 'away@example.org' }],
  });
});

const answerOf = (body: Json, email: string) =>
  body.attendees.find((guest: Json) => guest.email === email)?.responseStatus;

test('resource counts when a guest is added; later changes of it are ignored', async () => {
  const [away, room] = ['away@example.org', 'room@example.org'];
  const resources = async (method: string, guests: readonly Json[]) => {
    const { summary, start, end } = event;
    const { body } = await google.ada(method, path(), { body: { summary, start, end, attendees: guests } });
    return body.attendees.filter((guest: Json) => guest.resource === true).map(({ email }: Json) => email);
  };
  expect(
    await resources('PATCH', [
      { email: away, resource: true },
      { email: room, resource: true },
    ]),
  ).toEqual([room]);
  expect(await resources('PUT', [{ email: away, resource: true }, { email: room }])).toEqual([room]);
});

describe('invitations', () => {
  test('a guest has a copy under the same id, with its own view of self', async () => {
    expect(answerOf(event, ADA)).toBe('accepted');
    const { body } = await google.charles('GET', path());
    expect(body).toMatchObject({ id: event.id, iCalUID: event.iCalUID, organizer: { email: ADA } });
    expect(body.organizer.self).toBeUndefined();
    expect(body.attendees).toMatchObject([
      { email: CHARLES, self: true, responseStatus: 'needsAction' },
      { email: ADA, organizer: true, responseStatus: 'accepted' },
      { email: 'away@example.org' },
    ]);
    expect(body.start.dateTime).toBe('2026-03-03T04:00:00-05:00');
  });

  test("the organizer's changes and deletion reach the guest", async () => {
    await google.ada('PATCH', path(), { body: { location: 'Turin' } });
    expect((await google.charles('GET', path())).body.location).toBe('Turin');
    await google.ada('DELETE', path());
    expect((await google.charles('GET', path())).body.status).toBe('cancelled');
  });

  test('a guest who is taken off the list loses the copy', async () => {
    await google.ada('PATCH', path(), { body: { attendees: [{ email: ADA }] } });
    expect((await google.charles('GET', path())).body.status).toBe('cancelled');
  });

  test('somebody invited to one occurrence gets an orphan instance', async () => {
    const series = await insert(google, WEEKLY);
    const id = `${series.id}_20260309T090000Z`;
    await google.ada('PATCH', `${EVENTS}/${id}`, { body: { attendees: [{ email: CHARLES }] } });
    expect((await google.charles('GET', `${EVENTS}/${id}`)).body).toMatchObject({ recurringEventId: series.id });
    expect((await google.charles('GET', `${EVENTS}/${series.id}`)).status).toBe(404);
    const listed = (await google.charles('GET', EVENTS)).body.items.map((item: Json) => item.id);
    expect(listed).toContain(id);
  });

  test('the list of a guest who was taken off a series and invited to one occurrence has the tombstone, then the occurrence', async () => {
    const series = await insert(google, { ...WEEKLY, attendees: [{ email: CHARLES }] });
    const id = `${series.id}_20260309T090000Z`;
    const { nextSyncToken: syncToken } = (await google.charles('GET', EVENTS)).body;
    await google.ada('PATCH', `${EVENTS}/${series.id}`, { body: { attendees: [] } });
    await google.ada('PATCH', `${EVENTS}/${id}`, { body: { attendees: [{ email: CHARLES }] } });
    const listed = async (query: Record<string, string>) =>
      (await google.charles('GET', EVENTS, { query })).body.items
        .filter((item: Json) => item.id.startsWith(series.id))
        .map((item: Json) => [item.id, item.status]);
    expect(await listed({ syncToken })).toEqual([
      [series.id, 'cancelled'],
      [id, 'confirmed'],
    ]);
    expect(await listed({})).toEqual([[id, 'confirmed']]);
    expect(await listed({ singleEvents: 'true' })).toEqual([[id, 'confirmed']]);
  });

  test('a cancelled occurrence of a shared series is cancelled for the guest', async () => {
    const series = await insert(google, { ...WEEKLY, attendees: [{ email: CHARLES }] });
    await google.ada('DELETE', `${EVENTS}/${series.id}_20260309T090000Z`);
    const { body } = await google.charles('GET', `${EVENTS}/${series.id}/instances`);
    expect(body.items).toHaveLength(5);
  });
});

describe('answers', () => {
  test('with attendeesOmitted change the own entry alone and reach the organizer', async () => {
    const { body } = await google.charles('PATCH', path(), {
      body: { attendeesOmitted: true, attendees: [{ email: CHARLES, responseStatus: 'tentative', comment: 'late' }] },
    });
    expect(body.attendees).toHaveLength(3);
    expect(answerOf(body, CHARLES)).toBe('tentative');
    const { body: home } = await google.ada('GET', path());
    expect(answerOf(home, CHARLES)).toBe('tentative');
    expect(home.attendees[0].comment).toBeUndefined();
  });

  test('with the whole list and only the own entry changed are taken, comment included', async () => {
    const { body: copy } = await google.charles('GET', path());
    const attendees = copy.attendees.map((guest: Json) =>
      guest.self ? { ...guest, responseStatus: 'declined', comment: 'away' } : guest,
    );
    expect((await google.charles('PATCH', path(), { body: { attendees } })).status).toBe(200);
    const { body: home } = await google.ada('GET', path());
    expect(home.attendees[0]).toMatchObject({ responseStatus: 'declined', comment: 'away' });
  });

  test('to one occurrence leave the series alone', async () => {
    const series = await insert(google, { ...WEEKLY, attendees: [{ email: CHARLES }] });
    const id = `${series.id}_20260309T090000Z`;
    await google.charles('PATCH', `${EVENTS}/${id}`, {
      body: { attendeesOmitted: true, attendees: [{ email: CHARLES, responseStatus: 'declined' }] },
    });
    expect(answerOf((await google.ada('GET', `${EVENTS}/${id}`)).body, CHARLES)).toBe('declined');
    expect(answerOf((await google.ada('GET', `${EVENTS}/${series.id}`)).body, CHARLES)).toBe('needsAction');
  });

  test("a guest's deletion declines", async () => {
    await google.charles('DELETE', path());
    expect(answerOf((await google.ada('GET', path())).body, CHARLES)).toBe('declined');
    await google.ada('PATCH', path(), { body: { location: 'Elsewhere' } });
    expect((await google.charles('GET', path())).body.status).toBe('cancelled');
  });

  test('the organizer can answer for the own entry', async () => {
    const { body } = await google.ada('PATCH', path(), {
      body: { attendeesOmitted: true, attendees: [{ email: ADA, responseStatus: 'declined' }] },
    });
    expect(answerOf(body, ADA)).toBe('declined');
  });
});

describe('edits by guests', () => {
  test.each<[string, Json]>([
    ['the name', { summary: 'Mine' }],
    ['the time', timed('2026-03-04T09:00:00', '2026-03-04T10:00:00')],
    ['the place', { location: 'Mine' }],
    ['the rule', { recurrence: ['RRULE:FREQ=DAILY'] }],
    ['the other guests', { attendees: [{ email: CHARLES, responseStatus: 'accepted' }] }],
    ['shared properties', { extendedProperties: { shared: { a: 'b' } } }],
  ])('of %s are refused', async (_name, body) => {
    expect(reasonOf(await google.charles('PATCH', path(), { body }))).toEqual([403, 'forbiddenForNonOrganizer']);
  });

  test('of colour, reminders, transparency and private properties stay on the own copy', async () => {
    const body = {
      colorId: '3',
      transparency: 'transparent',
      reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
      extendedProperties: { private: { mine: 'yes' } },
    };
    expect((await google.charles('PATCH', path(), { body })).body).toMatchObject(body);
    await google.ada('PATCH', path(), { body: { summary: 'Renamed' } });
    expect((await google.charles('GET', path())).body).toMatchObject({ ...body, summary: 'Renamed' });
    expect((await google.ada('GET', path())).body.colorId).toBeUndefined();
  });

  test('are free when guestsCanModify', async () => {
    await google.ada('PATCH', path(), { body: { guestsCanModify: true } });
    const { body } = await google.charles('PATCH', path(), { body: { summary: 'By Charles' } });
    expect(body.summary).toBe('By Charles');
    expect((await google.ada('GET', path())).body.summary).toBe('By Charles');
  });

  test('of the calendar by move are refused', async () => {
    const { body } = await google.charles('POST', '/calendars', { body: { summary: 'x' } });
    const answer = await google.charles('POST', `${path()}/move`, { query: { destination: body.id } });
    expect(reasonOf(answer)).toEqual([403, 'forbiddenForNonOrganizer']);
  });
});
