import { readCalendars } from 'kalends/icalendar';
import { expect, test } from 'vitest';

function eventOf(...lines: readonly string[]) {
  const [calendar] = readCalendars(['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR'].join('\r\n'));
  return { problems: calendar?.problems, content: calendar?.groups[0]?.master?.content };
}

test('§3.6.1: an event that takes no time, with categories', () => {
  const { content } = eventOf(
    'BEGIN:VEVENT',
    'UID:19970901T130000Z-123402@example.com',
    'DTSTAMP:19970901T130000Z',
    'DTSTART:19970401T163000Z',
    'DTEND:19970402T010000Z',
    'SUMMARY:Laurel is in sensitivity awareness class.',
    'CLASS:PUBLIC',
    'CATEGORIES:BUSINESS,HUMAN RESOURCES',
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  );
  expect(content).toMatchObject({
    start: { dateTime: '1997-04-01T16:30:00+00:00', timeZone: 'UTC' },
    end: { dateTime: '1997-04-02T01:00:00+00:00', timeZone: 'UTC' },
    visibility: 'public',
    categories: ['BUSINESS', 'HUMAN RESOURCES'],
    showAs: 'free',
  });
});

test('§3.6.1: an anniversary, and a festival of several days', () => {
  const anniversary = eventOf(
    'BEGIN:VEVENT',
    'UID:19970901T130000Z-123403@example.com',
    'DTSTAMP:19970901T130000Z',
    'DTSTART;VALUE=DATE:19971102',
    'SUMMARY:Our Blissful Anniversary',
    'TRANSP:TRANSPARENT',
    'CLASS:CONFIDENTIAL',
    'CATEGORIES:ANNIVERSARY,PERSONAL,SPECIAL OCCASION',
    'RRULE:FREQ=YEARLY',
    'END:VEVENT',
  );
  expect(anniversary.content).toMatchObject({ isAllDay: true, recurrence: ['RRULE:FREQ=YEARLY'] });
  const festival = eventOf(
    'BEGIN:VEVENT',
    'UID:20070423T123432Z-541111@example.com',
    'DTSTAMP:20070423T123432Z',
    'DTSTART;VALUE=DATE:20070628',
    'DTEND;VALUE=DATE:20070709',
    'SUMMARY:Festival International de Jazz de Montreal',
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  );
  expect(festival.content).toMatchObject({
    start: { dateTime: '2007-06-28T00:00:00' },
    end: { dateTime: '2007-07-09T00:00:00' },
  });
});

test('§4: a calendar of another program, with a zone and a group of people', () => {
  const { content, problems } = eventOf(
    'PRODID:-//RDU Software//NONSGML HandCal//EN',
    'VERSION:2.0',
    'BEGIN:VTIMEZONE',
    'TZID:America/New_York',
    'BEGIN:STANDARD',
    'DTSTART:19981025T020000',
    'TZOFFSETFROM:-0400',
    'TZOFFSETTO:-0500',
    'TZNAME:EST',
    'END:STANDARD',
    'BEGIN:DAYLIGHT',
    'DTSTART:19990404T020000',
    'TZOFFSETFROM:-0500',
    'TZOFFSETTO:-0400',
    'TZNAME:EDT',
    'END:DAYLIGHT',
    'END:VTIMEZONE',
    'BEGIN:VEVENT',
    'DTSTAMP:19980309T231000Z',
    'UID:guid-1.example.com',
    'ORGANIZER:mailto:mrbig@example.com',
    'ATTENDEE;RSVP=TRUE;ROLE=REQ-PARTICIPANT;CUTYPE=GROUP:',
    ' mailto:employee-A@example.com',
    'DESCRIPTION:Project XYZ Review Meeting',
    'CATEGORIES:MEETING',
    'CLASS:PUBLIC',
    'CREATED:19980309T130000Z',
    'SUMMARY:XYZ Project Review',
    'DTSTART;TZID=America/New_York:19980312T083000',
    'DTEND;TZID=America/New_York:19980312T093000',
    'LOCATION:1CP Conference Room 4350',
    'END:VEVENT',
  );
  expect(problems).toEqual([]);
  expect(content).toMatchObject({
    title: 'XYZ Project Review',
    start: { dateTime: '1998-03-12T08:30:00-05:00', timeZone: 'America/New_York' },
    organizer: { email: 'mrbig@example.com', isSelf: false },
    attendees: [{ email: 'employee-a@example.com', responseStatus: 'needsAction' }],
    createdAt: '1998-03-09T13:00:00.000Z',
  });
});

test('§3.1: a description folded in the middle of a word', () => {
  const { content } = eventOf(
    'BEGIN:VEVENT',
    'UID:fold',
    'DTSTART:19970714T170000Z',
    'DESCRIPTION:This is a lo',
    ' ng description',
    '  that exists on a long line.',
    'END:VEVENT',
  );
  expect(content?.description).toBe('This is a long description that exists on a long line.');
});

test('§3.3.11: text with escapes', () => {
  const { content } = eventOf(
    'BEGIN:VEVENT',
    'UID:text',
    'DTSTART:19970714T170000Z',
    'DESCRIPTION:Project XYZ Final Review\\nConference Room - 3B\\nCome Prepared.',
    'END:VEVENT',
  );
  expect(content?.description).toBe('Project XYZ Final Review\nConference Room - 3B\nCome Prepared.');
});

test('§3.8.6.3: alarms before the start, before the end and at a fixed time', () => {
  const { content } = eventOf(
    'BEGIN:VEVENT',
    'UID:alarms',
    'DTSTART:19980101T060000Z',
    'DURATION:PT1H',
    'BEGIN:VALARM',
    'ACTION:AUDIO',
    'TRIGGER:-PT15M',
    'END:VALARM',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'TRIGGER;RELATED=END:-PT90M',
    'END:VALARM',
    'BEGIN:VALARM',
    'ACTION:EMAIL',
    'TRIGGER;VALUE=DATE-TIME:19980101T050000Z',
    'END:VALARM',
    'END:VEVENT',
  );
  expect(content?.reminders.overrides).toEqual([
    { method: 'popup', minutes: 15 },
    { method: 'popup', minutes: 30 },
    { method: 'email', minutes: 60 },
  ]);
});
