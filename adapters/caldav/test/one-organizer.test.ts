import type { EventChange, EventTarget, ProviderEvent } from 'kalends/ports';
import { expect, it } from 'vitest';
import { ADA } from './harness.ts';
import { type PulledCalendar, refusal, startCalendar } from './pull/pulled-calendar.ts';

/** Address of the organizer of each component of a text; empty for one without. */
const organizersIn = (text: string): readonly string[] =>
  text
    .replaceAll('\r\n ', '')
    .split('BEGIN:VEVENT')
    .slice(1)
    .map((component) => /^ORGANIZER.*?:(.*)\r$/m.exec(component)?.[1] ?? '');

/** Starts a calendar at a server that refuses an object with different organizers, or with one in some components alone. */
async function startStrict(): Promise<PulledCalendar> {
  const played = await startCalendar('noScheduling');
  played.answerBy(({ method, body }, ask) => {
    const isMixed = method === 'PUT' && new Set(organizersIn(body)).size > 1;
    return isMixed ? refusal(403, 'same-organizer-in-all-components') : ask();
  });
  return played;
}

async function createSeries({ harness, session, calendar }: PulledCalendar): Promise<ProviderEvent> {
  const at = (hour: string) => ({ dateTime: `2026-03-02T${hour}:00:00Z`, timeZone: 'UTC' });
  const input = { title: 'Daily', start: at('09'), end: at('10'), recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] };
  const [made] = await harness.provider.events.create(session, calendar, input, { requestId: 'a'.repeat(32) });
  if (made?.kind !== 'series') throw new Error('no series was created');
  return made.master;
}

function dayOf(master: ProviderEvent, day: string): EventTarget {
  const recurrenceId = { kind: 'instant', startMs: Date.parse(`${day}T09:00:00Z`) } as const;
  return { kind: 'occurrence', seriesId: master.providerEventId, recurrenceId, current: master, master };
}

function seriesIn([change]: readonly EventChange[]) {
  if (change?.kind !== 'series') throw new Error('no series was answered');
  return change;
}

it('invites guests to one occurrence of a series without guests, where all components need the same organizer', async () => {
  const played = await startStrict();
  const { harness, session, calendar } = played;
  const { events } = harness.provider;
  const master = await createSeries(played);
  await events.update(session, calendar, dayOf(master, '2026-03-03'), { title: 'Alone' }, {});
  const guest = { email: 'guest@elsewhere.example' };
  const invited = { attendees: [guest] };
  const written = seriesIn(await events.update(session, calendar, dayOf(master, '2026-03-04'), invited, {}));

  const { objects } = harness.control('objects', { email: ADA }) as { objects: readonly { data: string }[] };
  expect(objects.map(({ data }) => organizersIn(data))).toEqual([Array(3).fill(`mailto:${ADA}`)]);
  expect(written.master).toMatchObject({ isOrganizer: true, content: { title: 'Daily', attendees: [] } });
  expect(written.master.content?.organizer).toEqual(master.content?.organizer);
  expect(written.exceptions.map(({ content }) => content?.attendees.map(({ email }) => email))).toEqual([
    [],
    [guest.email],
  ]);
});
