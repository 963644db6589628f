import { encoded, type Json, listAll } from './api.ts';
import { at, type Scene } from './scene.ts';

/** Lists, creates, changes, answers and deletes events. */
export async function eventsChapter(scene: Scene, accountId: string, calendarId: string): Promise<void> {
  const { api, narrator, providerType } = scene;
  narrator.chapter(`${providerType}: events`);
  const path = `/v1/events/${accountId}/${encoded(calendarId)}`;
  const expanded = await readWeek(scene, path);
  const series = await createSeries(scene, path);
  await editOccurrences(scene, path, series);
  await editSeries(scene, path, series);
  const allDay = await createAllDayEvent(scene, path);
  await answerInvitation(scene, path, expanded);
  for (const event of [series, allDay]) await api.expect('DELETE', `${path}/${encoded(event.id)}`, undefined, 200);
  const gone = await api.call('GET', `${path}/${encoded(series.id)}`);
  narrator.check(gone.status === 404, 'DELETE removes the series', gone.body);
}

/** Lists the current week, unexpanded and expanded; resolves with the expanded list. */
async function readWeek(scene: Scene, path: string): Promise<readonly Json[]> {
  const { api, narrator } = scene;
  const week = { startDateTime: at(scene, 0), endDateTime: at(scene, 7 * 24) };

  const stored = await listAll(api, path, { pageSize: '3' });
  narrator.check(
    stored.items.some(({ isRecurring }) => isRecurring === true),
    'the plain list shows series masters, page by page',
    stored.items,
  );
  const expanded = await listAll(api, path, {
    ...week,
    expandRecurrences: 'true',
    orderBy: 'startDateTime',
    pageSize: '4',
  });
  for (const event of expanded.items) narrator.say(`  ${(event.start as Json).dateTime}  ${event.title}`);
  const occurrence = expanded.items.find(({ recurringEventId }) => recurringEventId !== undefined);
  narrator.check(
    occurrence?.isException === true && occurrence.recurrence === null,
    'the expanded list shows occurrences, in order',
    expanded.items,
  );
  return expanded.items;
}

async function createSeries({ api, narrator }: Scene, path: string): Promise<Json> {
  const created = await api.expect(
    'POST',
    path,
    {
      title: 'Tour: planning',
      description: 'Made by the tour',
      start: { dateTime: '2026-03-02T09:00:00', timeZone: 'America/New_York' },
      end: { dateTime: '2026-03-02T10:30:00', timeZone: 'America/New_York' },
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=5'],
      location: 'Room 4',
      privateExtendedProperties: { ticket: 'K-1' },
      visibility: 'private',
    },
    201,
  );
  narrator.check(
    (created.start as Json).dateTime === '2026-03-02T09:00:00-05:00',
    'POST creates a weekly series at 9:00 New York time',
    created,
  );
  return created;
}

async function editOccurrences({ api, narrator }: Scene, path: string, created: Json): Promise<void> {
  const id = encoded(created.id);
  const window = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-05-01T00:00:00Z' };
  const occurrences = await listAll(api, `${path}/${id}/occurrences`, window);
  const starts = occurrences.items.map(({ start }) => (start as Json).dateTime);
  narrator.check(
    JSON.stringify(starts) ===
      JSON.stringify([
        '2026-03-02T09:00:00-05:00',
        '2026-03-09T09:00:00-04:00',
        '2026-03-16T09:00:00-04:00',
        '2026-03-23T09:00:00-04:00',
        '2026-03-30T09:00:00-04:00',
      ]),
    'its five occurrences stay at 9:00 across the change to summer time',
    starts,
  );

  const second = `${created.id}_20260309T130000Z`;
  const moved = await api.expect(
    'PUT',
    `${path}/${encoded(second)}`,
    {
      title: 'Tour: planning, later',
      start: { dateTime: '2026-03-09T15:00:00', timeZone: 'America/New_York' },
      end: { dateTime: '2026-03-09T16:00:00', timeZone: 'America/New_York' },
    },
    200,
  );
  narrator.check(
    moved.id === second &&
      moved.recurringEventId === created.id &&
      (moved.start as Json).dateTime === '2026-03-09T15:00:00-04:00',
    'PUT on an occurrence id moves that occurrence',
    moved,
  );
  const third = `${created.id}_20260316T130000Z`;
  await api.expect('DELETE', `${path}/${encoded(third)}`, undefined, 200);
  const cancelled = await api.expect('GET', `${path}/${encoded(third)}`, undefined, 200);
  narrator.check(cancelled.isCancelled === true, 'DELETE on another cancels it; it keeps its record', cancelled);
  const changed = await listAll(api, `${path}/${id}/occurrences`, { syncToken: occurrences.syncToken });
  narrator.check(
    JSON.stringify(changed.items.map((event) => [event.id, event.isDeleted === true]).sort()) ===
      JSON.stringify([
        [second, false],
        [third, true],
      ]),
    'the sync token of the occurrences brings exactly these two changes',
    changed.items,
  );
}

async function editSeries({ api, narrator }: Scene, path: string, created: Json): Promise<void> {
  const id = encoded(created.id);
  const stale = await api.call('PUT', `${path}/${id}`, {
    body: { location: 'Room 5' },
    headers: { 'if-match': '"stale"' },
  });
  narrator.check(stale.status === 412, 'If-Match with an old etag is refused (412)', stale.body);
  const renamed = await api.expect('PUT', `${path}/${id}`, { location: 'Room 5' }, 200);
  narrator.check(
    renamed.location === 'Room 5' && renamed.title === 'Tour: planning',
    'PUT on the series changes only what is sent',
    renamed,
  );
  const filtered = await listAll(api, path, {
    metadataFilters: JSON.stringify({ ticket: 'K-1' }),
    search: 'TOUR: plan',
  });
  narrator.check(
    filtered.items.some((event) => event.id === created.id),
    'metadataFilters and search find it',
    filtered.items,
  );
}

async function createAllDayEvent({ api, narrator }: Scene, path: string): Promise<Json> {
  const allDay = await api.expect(
    'POST',
    path,
    { title: 'Tour: day off', isAllDay: true, start: { dateTime: '2026-03-05' } },
    201,
  );
  narrator.check(
    (allDay.start as Json).dateTime === '2026-03-05T00:00:00' &&
      (allDay.end as Json).dateTime === '2026-03-06T00:00:00',
    'an all-day event has no offset and ends before its end',
    allDay,
  );
  return allDay;
}

async function answerInvitation({ api, narrator }: Scene, path: string, expanded: readonly Json[]): Promise<void> {
  const invited = expanded.find(
    ({ myResponseStatus, organizer }) =>
      myResponseStatus !== undefined && (organizer as Json | undefined)?.isSelf === false,
  );
  const response = invited?.myResponseStatus === 'tentative' ? 'accepted' : 'tentative';
  narrator.check(
    invited !== undefined,
    'another person has invited this account',
    expanded.map(({ title, myResponseStatus }) => [title, myResponseStatus]),
  );
  const answered = await api.call('POST', `${path}/${encoded(invited?.id)}/rsvp`, {
    body: { responseStatus: response },
  });
  narrator.check(
    answered.status === 200 && answered.body.success === true,
    'rsvp answers the invitation',
    answered.body,
  );
  const after = await api.expect('GET', `${path}/${encoded(invited?.id)}`);
  narrator.check(after.myResponseStatus === response, 'and the event shows the answer', after);
}
