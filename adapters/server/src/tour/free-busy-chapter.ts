import { encoded, type Json } from './api.ts';
import type { Scene } from './scene.ts';

/** Queries the busy slots of a calendar of its own, whose events are known. */
export async function freeBusyChapter(scene: Scene, accountId: string): Promise<void> {
  const { api, narrator, providerType } = scene;
  narrator.chapter(`${providerType}: free/busy`);
  const calendar = await api.expect('POST', `/v1/calendars/${accountId}`, { name: 'Tour: busy' }, 201);
  const calendarId = String(calendar.id);
  const path = `/v1/events/${accountId}/${encoded(calendarId)}`;
  const zone = 'Europe/Berlin';
  for (const [from, to, transparency] of [
    ['08:00', '09:00', 'opaque'],
    ['09:00', '10:30', 'opaque'],
    ['11:00', '12:00', 'transparent'],
  ]) {
    await api.expect('POST', path, {
      title: 'Tour: busy',
      start: { dateTime: `2031-06-02T${from}:00`, timeZone: zone },
      end: { dateTime: `2031-06-02T${to}:00`, timeZone: zone },
      transparency,
    });
  }
  const answer = (await api.expect('POST', `/v1/freeBusy/${accountId}`, {
    startDateTime: '2031-06-02T08:30:00',
    endDateTime: '2031-06-02T18:00:00',
    timeZone: zone,
    calendarIds: [calendarId],
  })) as unknown as readonly Json[];
  narrator.check(
    JSON.stringify(answer) ===
      JSON.stringify([
        {
          calendarId,
          busySlots: [
            {
              start: { dateTime: '2031-06-02T08:30:00+02:00', timeZone: zone },
              end: { dateTime: '2031-06-02T10:30:00+02:00', timeZone: zone },
            },
          ],
        },
      ]),
    'touching slots are merged and clipped to the window; a transparent event is free',
    answer,
  );
  await api.expect('DELETE', `/v1/calendars/${accountId}/${encoded(calendarId)}`, undefined, 200);
}
