import { google, googleEndpoints } from '@kalends/google';
import { microsoft } from '@kalends/microsoft';
import { readCalendars } from 'kalends/icalendar';
import { expect, it } from 'vitest';
import { body, eventsPath } from '../interface/steps.ts';
import { createWorld, SANDBOX_URL, type World } from '../interface/world.ts';

/** An address that would end its event and begin another one. */
const LINES =
  'a\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:evil\r\nDTSTART:20260309T090000Z\r\nSUMMARY:Forged\r\nX-A:@x.example';

it('an address with line ends, which a provider passes on, adds no event to a feed', async () => {
  let world: World | undefined;
  const passesOn: typeof fetch = async (input, init) => {
    const answer = await world!.sandbox.fetch(new Request(input, init));
    const text = (await answer.text()).replaceAll('lines@x.example', JSON.stringify(LINES).slice(1, -1));
    return new Response(text, { status: answer.status, headers: answer.headers });
  };
  const provider = google({ ...googleEndpoints(`${SANDBOX_URL}/google`), fetch: passesOn });
  world = await createWorld({ providers: { PROVIDER_A: provider, PROVIDER_B: microsoft() } }, { background: false });
  try {
    const { accountId, calendarId, email } = await world.connect('google');
    await world.atProvider('google', email, 'POST', `/calendars/${encodeURIComponent(email)}/events`, {
      summary: 'Invitation',
      start: { dateTime: '2026-03-02T09:00:00Z' },
      end: { dateTime: '2026-03-02T10:00:00Z' },
      attendees: [{ email: 'lines@x.example' }],
    });
    const { data } = body(await world.call('GET', eventsPath({ accountId, calendarId })));
    expect(data[0].attendees[0].email).toContain('Forged');
    const order = { name: 'Mine', detail: 'full', calendars: [{ endUserAccountId: accountId, calendarId }] };
    const { url } = body(await world.call('POST', '/v1/feeds', { body: order }), 201);
    const text = await (await world.handler(new Request(url.replace('/api/', '/')))).text();
    const [calendar] = readCalendars(text);
    expect(calendar?.groups.map(({ master }) => master?.content?.title)).toEqual(['Invitation']);
  } finally {
    await world.close();
  }
});

it('an address with control characters is none', () => {
  const text = [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'UID:1',
    'DTSTART:20260302T090000Z',
    'SUMMARY:Lunch',
    'ORGANIZER:mailto:o%00@x.example',
    'ATTENDEE:mailto:a%1Bb@x.example',
    'ATTENDEE:mailto:c%7F@x.example',
    'ATTENDEE:mailto:d@x.example',
    'END:VEVENT',
    'END:VCALENDAR',
  ].join('\r\n');
  const [calendar] = readCalendars(text);
  const content = calendar?.groups[0]?.master?.content;
  expect(content?.attendees.map(({ email }) => email)).toEqual(['d@x.example']);
  expect(content?.organizer?.email).toBeUndefined();
});
