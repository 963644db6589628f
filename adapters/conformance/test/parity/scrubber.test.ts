import { expect, test } from 'vitest';
import { createScrubber, type RawExchange } from '../../src/parity/scrubber.ts';

const SECRETS = [
  'ya29.a0AfH6SMBx',
  'GOCSPX-hush-hush',
  '1//0refresh-token',
  'mary.poppins@gmail.example',
  'Mary Poppins',
  'Salary talk with Bert',
  'https://meet.google.com/abc-defg-hij',
  'AAMkAGI2TG93AAA=',
  '+44 20 7946 0958',
  '4829',
  'Banks',
  'Zebedee',
];

/** Puts a text into every part of an exchange, as the whole value and inside one. */
function planted(text: string): RawExchange {
  const everywhere = {
    id: text,
    summary: text,
    status: text,
    timeZone: text,
    kind: `calendar#${text}`,
    etag: `"${text}"`,
    iCalUID: `${text}@google.com`,
    start: { dateTime: `2026-03-02T09:00:00 ${text}`, date: text },
    recurrence: [`RRULE:FREQ=DAILY;X=${text}`, `EXDATE;TZID=${text}:20260302T090000`, `RDATE:${text}`, text],
    attendees: [{ email: `${text}@mail.example`, displayName: text, responseStatus: text }],
    extendedProperties: { private: { [text]: text }, shared: { [text]: text } },
    body: { contentType: 'html', content: `<html>${text}</html>` },
    recurringEventId: `${text}_20260302T090000Z`,
    error: {
      code: 400,
      message: `${text} is wrong`,
      errors: [{ reason: text, message: text }],
      innerError: { 'request-id': text },
    },
    '@odata.nextLink': `https://graph.microsoft.com/v1.0/me/events/${encodeURIComponent(text)}?$skiptoken=${encodeURIComponent(text)}`,
    hangoutLink: `https://meet.example/${text}`,
    [`${text} is a key`]: text,
  };
  const url = new URL(`https://www.googleapis.com/calendar/v3/calendars/${encodeURIComponent(text)}/events`);
  for (const name of ['q', 'syncToken', 'iCalUID', 'privateExtendedProperty']) url.searchParams.set(name, text);
  url.searchParams.set('$filter', `subject eq '${text.replaceAll("'", "''")}'`);
  const encoded = encodeURIComponent(text);
  return {
    method: 'POST',
    url: url.href,
    at: 0,
    group: 1,
    requestHeaders: new Headers({ authorization: `Bearer ${encoded}`, 'if-match': `"${encoded}"`, 'x-other': encoded }),
    requestBody: JSON.stringify(everywhere),
    status: 400,
    responseHeaders: new Headers({
      etag: `W/"${encoded}"`,
      'set-cookie': encoded,
      location: encoded,
      'retry-after': encoded,
    }),
    responseBody: JSON.stringify(everywhere),
  };
}

test.each(SECRETS)('nothing of %j remains anywhere', (secret) => {
  const scrubbed = JSON.stringify(createScrubber().exchange(planted(secret))).toLowerCase();
  expect(scrubbed).not.toContain(secret.toLowerCase());
  expect(scrubbed).not.toContain(encodeURIComponent(secret).toLowerCase());
});

test('a form, and a body that is no JSON, are replaced too', () => {
  const form = createScrubber().exchange({
    ...planted('x'),
    requestHeaders: new Headers({ 'content-type': 'application/x-www-form-urlencoded' }),
    requestBody: 'grant_type=refresh_token&refresh_token=1%2F%2F0refresh&client_secret=GOCSPX-hush',
    responseHeaders: new Headers({ 'content-type': 'text/html' }),
    responseBody: '<h1>Mary, your proxy is down</h1>',
  });
  expect(form.requestBody).toEqual({
    grant_type: 'refresh_token',
    refresh_token: '~refreshtoken.1~',
    client_secret: '~clientsecret.1~',
  });
  expect(form.responseBody).toBe('~body.1~');
});

test('times, zones, rules and words of the interface remain, and one id has one placeholder', () => {
  const kept = {
    status: 'confirmed',
    start: { dateTime: '2026-03-02T09:00:00+00:00', timeZone: 'Europe/London' },
    end: { dateTime: '2026-03-02T10:00:00.0000000', timeZone: 'GMT Standard Time' },
    recurrence: ['RRULE:FREQ=MONTHLY;BYDAY=-1MO,2TU;COUNT=5', 'EXDATE;TZID=Europe/London:20260303T090000'],
    sequence: 3,
    hidden: false,
    colorId: '7',
    backgroundColor: '#9fe1e7',
  };
  const scrubber = createScrubber();
  expect(scrubber.json(kept, 'body')).toEqual(kept);
  expect(scrubber.json({ id: 'one', recurringEventId: 'one', other: { id: 'one_20260303T090000Z' } }, 'body')).toEqual({
    id: '~id.1~',
    recurringEventId: '~id.1~',
    other: { id: '~id.1~_20260303T090000Z' },
  });
});

test('a composed text keeps the place of a text of the suite, and a name of a slot keeps its date', () => {
  const scrubber = createScrubber();
  const rule = '_'.repeat(60);
  const request = { content: 'About it', html: 'About it<br><div>Join: https://teams.example/1</div>' };
  expect(scrubber.json(request, 'body')).toEqual({ content: '~content.1~', html: '~content.1~<br>~html.1~' });
  const answer = { content: `About it\r\n${rule}\r\nJoin: https://teams.example/1\r\n` };
  expect(scrubber.json(answer, 'body')).toEqual({ content: `~content.1~\r\n${rule}\r\n~content.2~\r\n` });
  expect(scrubber.json({ id: 'AAMk=', cancelledOccurrences: ['OID.AAMk=.2026-03-02'] }, 'body')).toEqual({
    id: '~id.1~',
    cancelledOccurrences: ['OID.~id.1~.2026-03-02'],
  });
});
