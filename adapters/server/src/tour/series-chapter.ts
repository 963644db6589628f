import { randomUUID } from 'node:crypto';
import { encoded, type Json, listAll } from './api.ts';
import type { Scene } from './scene.ts';

const DAYS = { startDateTime: '2026-04-01T00:00:00Z', endDateTime: '2026-05-01T00:00:00Z' };

/** Repeats a creation safely, and edits a series by scope. */
export async function seriesChapter(scene: Scene, accountId: string, calendarId: string): Promise<void> {
  const { api, narrator, providerType } = scene;
  narrator.chapter(`${providerType}: a series`);
  const path = `/v1/events/${accountId}/${encoded(calendarId)}`;
  const titles = async (id: unknown) => {
    const { items } = await listAll(api, `${path}/${encoded(id)}/occurrences`, DAYS);
    const starts = items.map((event) => [Date.parse(String((event.start as Json).dateTime)), event.title] as const);
    return starts.sort(([a], [b]) => a - b).map(([start, title]) => `${new Date(start).getUTCDate()} ${title}`);
  };

  const body = {
    title: 'Standup',
    start: { dateTime: '2026-04-06T09:00:00', timeZone: 'Europe/London' },
    end: { dateTime: '2026-04-06T09:15:00', timeZone: 'Europe/London' },
    recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
  };
  const headers = { 'idempotency-key': randomUUID() };
  const created = await api.call('POST', path, { body, headers });
  const repeated = await api.call('POST', path, { body, headers });
  narrator.check(
    created.status === 201 && repeated.status === 201 && repeated.body.id === created.body.id,
    'POST twice with one Idempotency-Key makes one series',
    [created, repeated],
  );
  const other = await api.call('POST', path, { body: { ...body, title: 'Another' }, headers });
  narrator.check(other.status === 409, 'the same key with another body is refused (409)', other.body);

  const { id } = created.body;
  const slot = (day: string) => `${path}/${encoded(`${id}_202604${day}T080000Z`)}`;
  await api.expect('DELETE', slot('07'), undefined, 200);
  const without = await titles(id);
  await api.expect('PUT', slot('07'), { isCancelled: false }, 200);
  narrator.check(
    without.length === 4 && (await titles(id)).length === 5,
    'DELETE cancels the second occurrence, PUT isCancelled: false brings it back',
    without,
  );
  await api.expect('PUT', slot('10'), { title: 'Standup with cake' }, 200);
  const rest = await api.expect('PUT', `${slot('08')}?scope=following`, { location: 'Room 7' }, 200);
  const halves = [await titles(id), await titles(rest.id)];
  narrator.check(
    rest.id !== id &&
      JSON.stringify(halves) ===
        JSON.stringify([
          ['6 Standup', '7 Standup'],
          ['8 Standup', '9 Standup', '10 Standup with cake'],
        ]),
    'PUT scope=following splits the series; the changed occurrence goes with its half',
    halves,
  );
  await api.expect('DELETE', `${path}/${encoded(`${rest.id}_20260409T080000Z`)}?scope=following`, undefined, 200);
  const left = await titles(rest.id);
  narrator.check(left.length === 1, 'DELETE scope=following ends it before that occurrence', left);
  for (const half of [id, rest.id]) await api.expect('DELETE', `${path}/${encoded(half)}`, undefined, 200);
}
