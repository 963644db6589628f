import type { EventContent } from 'kalends/ports';

/** Lines of a VEVENT and the part of its content that they are about. */
export interface Shape {
  readonly name: string;
  readonly lines: readonly string[];
  readonly content: Partial<EventContent>;
}

const BERLIN = 'Europe/Berlin';
const START = 'DTSTART;TZID=Europe/Berlin:20260302T090000';
const END = 'DTEND;TZID=Europe/Berlin:20260302T100000';

function at(dateTime: string, timeZone = BERLIN) {
  return { dateTime, timeZone };
}

function day(date: string) {
  return { dateTime: `${date}T00:00:00`, timeZone: '' };
}

function shape(name: string, lines: readonly string[], content: Partial<EventContent>): Shape {
  return { name, lines, content };
}

/** Lines after a start of 2 March 2026, 9:00 in Berlin. */
function timed(name: string, lines: readonly string[], content: Partial<EventContent>): Shape {
  return shape(name, [START, END, ...lines], content);
}

const TIMES: readonly Shape[] = [
  shape('a zone by its IANA name', [START, END], {
    start: at('2026-03-02T09:00:00+01:00'),
    end: at('2026-03-02T10:00:00+01:00'),
  }),
  shape('UTC', ['DTSTART:20260302T090000Z', 'DTEND:20260302T100000Z'], {
    start: at('2026-03-02T09:00:00+00:00', 'UTC'),
  }),
  shape('floating time takes the zone of the calendar', ['DTSTART:20260302T090000'], {
    start: at('2026-03-02T09:00:00+01:00'),
  }),
  shape('a Windows name', ['DTSTART;TZID=Eastern Standard Time:20260302T090000'], {
    start: at('2026-03-02T09:00:00-05:00', 'America/New_York'),
  }),
  shape('a quoted display name', ['DTSTART;TZID="(UTC-05:00) Eastern Time (US & Canada)":20260302T090000'], {
    start: at('2026-03-02T09:00:00-05:00', 'America/New_York'),
  }),
  shape('a path before the name', ['DTSTART;TZID=/mozilla.org/20070129_1/Europe/Paris:20260302T090000'], {
    start: at('2026-03-02T09:00:00+01:00', 'Europe/Paris'),
  }),
  shape('an alias keeps its spelling', ['DTSTART;TZID=Asia/Calcutta:20260302T090000'], {
    start: at('2026-03-02T09:00:00+05:30', 'Asia/Calcutta'),
  }),
  shape('an offset without quotes', ['DTSTART;TZID=GMT+02:00:20260302T090000'], {
    start: at('2026-03-02T09:00:00+02:00', 'Etc/GMT-2'),
  }),
  shape('the closing quote behind the value', ['DTSTART;TZID="Europe/Paris:20260302T090000"'], {
    start: at('2026-03-02T09:00:00+01:00', 'Europe/Paris'),
  }),
  shape('an unknown zone is read in that of the calendar', ['DTSTART;TZID=Nowhere:20260302T090000'], {
    start: at('2026-03-02T09:00:00+01:00'),
  }),
  shape('an end in another zone', [START, 'DTEND;TZID=America/New_York:20260302T050000'], {
    end: at('2026-03-02T05:00:00-05:00', 'America/New_York'),
  }),
  shape('an end in UTC', [START, 'DTEND:20260302T093000Z'], { end: at('2026-03-02T09:30:00+00:00', 'UTC') }),
  shape('no end', [START], { end: at('2026-03-02T09:00:00+01:00') }),
  shape('an end before the start', [START, 'DTEND;TZID=Europe/Berlin:20260302T080000'], {
    end: at('2026-03-02T09:00:00+01:00'),
  }),
  shape('a duration', [START, 'DURATION:PT1H30M'], { end: at('2026-03-02T10:30:00+01:00') }),
  shape('a duration of a week', [START, 'DURATION:P1W'], { end: at('2026-03-09T09:00:00+01:00') }),
  shape('a day of a duration is one of the calendar', ['DTSTART;TZID=Europe/Berlin:20260328T090000', 'DURATION:P1D'], {
    end: at('2026-03-29T09:00:00+02:00'),
  }),
  shape(
    '24 hours of a duration are elapsed time, as RFC 5545 has it',
    ['DTSTART;TZID=Europe/Berlin:20260328T090000', 'DURATION:P1DT2H'],
    { end: at('2026-03-29T11:00:00+02:00') },
  ),
  shape('an unreadable duration lasts no time', [START, 'DURATION:soon'], { end: at('2026-03-02T09:00:00+01:00') }),
  shape('all day', ['DTSTART;VALUE=DATE:20260302', 'DTEND;VALUE=DATE:20260304'], {
    start: day('2026-03-02'),
    end: day('2026-03-04'),
    isAllDay: true,
  }),
  shape('all day without an end', ['DTSTART;VALUE=DATE:20260302'], { end: day('2026-03-03'), isAllDay: true }),
  shape('all day with the end at the start', ['DTSTART;VALUE=DATE:20260302', 'DTEND;VALUE=DATE:20260302'], {
    end: day('2026-03-03'),
  }),
  shape('all day with a duration', ['DTSTART;VALUE=DATE:20260302', 'DURATION:P3D'], { end: day('2026-03-05') }),
  shape('a date without VALUE', ['DTSTART:20260302'], { isAllDay: true, start: day('2026-03-02') }),
  shape('VALUE=DATE before a time', ['DTSTART;VALUE=DATE:20260302T090000'], { isAllDay: false }),
  shape(
    'all day as Exchange writes it',
    [
      'DTSTART;TZID=Europe/Berlin:20260302T000000',
      'DTEND;TZID=Europe/Berlin:20260303T000000',
      'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE',
    ],
    { isAllDay: true, start: day('2026-03-02'), end: day('2026-03-03') },
  ),
  shape(
    'midnights that Exchange calls no days',
    ['DTSTART;TZID=Europe/Berlin:20260302T000000', 'X-MICROSOFT-CDO-ALLDAYEVENT:FALSE'],
    { isAllDay: false },
  ),
  shape('a time that does not exist', ['DTSTART;TZID=Europe/Berlin:20260329T023000'], {
    start: at('2026-03-29T03:30:00+02:00'),
  }),
  shape('a time that occurs twice is the first', ['DTSTART;TZID=Europe/Berlin:20261025T023000'], {
    start: at('2026-10-25T02:30:00+02:00'),
  }),
  shape('without seconds', ['DTSTART;TZID=Europe/Berlin:20260302T0900'], { start: at('2026-03-02T09:00:00+01:00') }),
  shape('in lower case', ['dtstart;tzid=Europe/Berlin:20260302t090000'], { start: at('2026-03-02T09:00:00+01:00') }),
  shape('a leap second', ['DTSTART:20161231T235960Z'], { start: at('2016-12-31T23:59:59+00:00', 'UTC') }),
];

const RULES: readonly Shape[] = [
  timed('no recurrence', [], { recurrence: null }),
  timed('a rule', ['RRULE:FREQ=WEEKLY;BYDAY=MO'], { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO'] }),
  timed('a rule in lower case with spaces', ['RRULE:freq=weekly; byday=mo'], {
    recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO'],
  }),
  timed('a rule with a semicolon at its end', ['RRULE:FREQ=DAILY;COUNT=3;'], {
    recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
  }),
  timed('a rule with a part of a vendor', ['RRULE:FREQ=DAILY;X-NOTE=A;COUNT=3'], {
    recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
  }),
  timed('UNTIL as a date', ['RRULE:FREQ=DAILY;UNTIL=20260305'], {
    recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260305T225959Z'],
  }),
  timed('UNTIL as local time', ['RRULE:FREQ=DAILY;UNTIL=20260305T090000'], {
    recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260305T080000Z'],
  }),
  timed('UNTIL in UTC', ['RRULE:FREQ=DAILY;UNTIL=20260305T080000Z'], {
    recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260305T080000Z'],
  }),
  shape('UNTIL of days as a time', ['DTSTART;VALUE=DATE:20260302', 'RRULE:FREQ=DAILY;UNTIL=20260304T230000Z'], {
    recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260305'],
  }),
  shape('UNTIL of days as a date', ['DTSTART;VALUE=DATE:20260302', 'RRULE:FREQ=DAILY;UNTIL=20260305'], {
    recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260305'],
  }),
  timed('an EXDATE in its zone', ['RRULE:FREQ=DAILY', 'EXDATE;TZID=Europe/Berlin:20260303T090000'], {
    recurrence: ['RRULE:FREQ=DAILY', 'EXDATE;TZID=Europe/Berlin:20260303T090000'],
  }),
  timed('an EXDATE in UTC', ['RRULE:FREQ=DAILY', 'EXDATE:20260303T080000Z'], {
    recurrence: ['RRULE:FREQ=DAILY', 'EXDATE:20260303T080000Z'],
  }),
  timed('a floating EXDATE is in the zone of the series', ['RRULE:FREQ=DAILY', 'EXDATE:20260303T090000'], {
    recurrence: ['RRULE:FREQ=DAILY', 'EXDATE;TZID=Europe/Berlin:20260303T090000'],
  }),
  timed('an EXDATE by day is the slot of that day', ['RRULE:FREQ=DAILY', 'EXDATE;VALUE=DATE:20260303'], {
    recurrence: ['RRULE:FREQ=DAILY', 'EXDATE;TZID=Europe/Berlin:20260303T090000'],
  }),
  timed(
    'an EXDATE in another zone is written in UTC',
    ['RRULE:FREQ=DAILY', 'EXDATE;TZID=America/New_York:20260303T030000'],
    { recurrence: ['RRULE:FREQ=DAILY', 'EXDATE:20260303T080000Z'] },
  ),
  timed(
    'EXDATEs by a Windows name of the same zone',
    ['RRULE:FREQ=DAILY', 'EXDATE;TZID=W. Europe Standard Time:20260303T090000'],
    { recurrence: ['RRULE:FREQ=DAILY', 'EXDATE;TZID=Europe/Berlin:20260303T090000'] },
  ),
  timed(
    'a list of EXDATEs, one of them empty',
    ['RRULE:FREQ=DAILY', 'EXDATE;TZID=Europe/Berlin:20260303T090000,,20260304T090000'],
    { recurrence: ['RRULE:FREQ=DAILY', 'EXDATE;TZID=Europe/Berlin:20260303T090000,20260304T090000'] },
  ),
  timed(
    'EXDATEs on lines of their own',
    ['RRULE:FREQ=DAILY', 'EXDATE;TZID=Europe/Berlin:20260303T090000', 'EXDATE;TZID=Europe/Berlin:20260304T090000'],
    { recurrence: ['RRULE:FREQ=DAILY', 'EXDATE;TZID=Europe/Berlin:20260303T090000,20260304T090000'] },
  ),
  shape(
    'EXDATEs of days, one as the time of Exchange',
    ['DTSTART;VALUE=DATE:20260302', 'RRULE:FREQ=DAILY', 'EXDATE:20260302T230000Z'],
    { recurrence: ['RRULE:FREQ=DAILY', 'EXDATE;VALUE=DATE:20260303'] },
  ),
  timed('dates alone make a series with its start', ['RDATE;TZID=Europe/Berlin:20260305T090000'], {
    recurrence: ['RDATE;TZID=Europe/Berlin:20260305T090000'],
  }),
  timed('an RDATE beside a rule', ['RRULE:FREQ=WEEKLY', 'RDATE;TZID=Europe/Berlin:20260305T090000'], {
    recurrence: ['RRULE:FREQ=WEEKLY', 'RDATE;TZID=Europe/Berlin:20260305T090000'],
  }),
  timed('a period', ['RRULE:FREQ=WEEKLY', 'RDATE;VALUE=PERIOD:20260305T080000Z/PT2H'], {
    recurrence: ['RRULE:FREQ=WEEKLY', 'RDATE;VALUE=PERIOD:20260305T080000Z/PT7200S'],
  }),
  timed('a rule of RFC 2445 that excludes', ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY;BYDAY=SU'], {
    recurrence: ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY;BYDAY=SU'],
  }),
  timed('a start that the rule does not produce is an occurrence too', ['RRULE:FREQ=WEEKLY;BYDAY=WE'], {
    recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=WE', 'RDATE;TZID=Europe/Berlin:20260302T090000'],
  }),
  timed('a rule that has ended before its start leaves no occurrence', ['RRULE:FREQ=DAILY;UNTIL=20260301T080000Z'], {
    recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260301T080000Z'],
  }),
  shape(
    'a rule of days that has ended before its start',
    ['DTSTART;VALUE=DATE:20260302', 'RRULE:FREQ=DAILY;UNTIL=20260301'],
    { recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260301'] },
  ),
  timed(
    'dates beside a rule that has ended before its start',
    ['RRULE:FREQ=DAILY;UNTIL=20260301T080000Z', 'RDATE;TZID=Europe/Berlin:20260305T090000'],
    { recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260301T080000Z', 'RDATE;TZID=Europe/Berlin:20260305T090000'] },
  ),
  timed(
    'a rule that ends on the day of a start that it does not produce',
    ['RRULE:FREQ=WEEKLY;BYDAY=WE;UNTIL=20260302'],
    {
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=WE;UNTIL=20260302T225959Z', 'RDATE;TZID=Europe/Berlin:20260302T090000'],
    },
  ),
  timed('a rule that cannot be read leaves the start', ['RRULE:FREQ=SOMETIMES'], {
    recurrence: ['RDATE;TZID=Europe/Berlin:20260302T090000'],
  }),
  timed('parameters before a rule', ['RRULE;X-A=1:FREQ=DAILY;COUNT=2'], { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] }),
];

const PEOPLE: readonly Shape[] = [
  timed('nobody', [], { attendees: [] }),
  timed('a guest', ['ATTENDEE;CN=Ann:mailto:ann@example.com'], {
    attendees: [
      { id: 'ann@example.com', name: 'Ann', email: 'ann@example.com', responseStatus: 'needsAction', kind: 'required' },
    ],
  }),
  timed('an address in upper case', ['ATTENDEE:MAILTO:Ann@Example.COM'], {
    attendees: [
      { id: 'ann@example.com', name: '', email: 'ann@example.com', responseStatus: 'needsAction', kind: 'required' },
    ],
  }),
  ...(
    [
      'ACCEPTED accepted',
      'DECLINED declined',
      'TENTATIVE tentative',
      'NEEDS-ACTION needsAction',
      'DELEGATED needsAction',
      'x-other needsAction',
    ] as const
  ).map((pair) => {
    const [word = '', responseStatus = ''] = pair.split(' ');
    return timed(`PARTSTAT=${word}`, [`ATTENDEE;PARTSTAT=${word}:mailto:ann@example.com`], {
      attendees: [
        {
          id: 'ann@example.com',
          name: '',
          email: 'ann@example.com',
          responseStatus: responseStatus as 'accepted',
          kind: 'required',
        },
      ],
    });
  }),
  ...(
    [
      'ROLE=OPT-PARTICIPANT optional',
      'ROLE=NON-PARTICIPANT optional',
      'ROLE=CHAIR required',
      'CUTYPE=ROOM resource',
      'CUTYPE=RESOURCE resource',
      'CUTYPE=GROUP required',
    ] as const
  ).map((pair) => {
    const [parameter = '', kind = ''] = pair.split(' ');
    return timed(parameter, [`ATTENDEE;${parameter}:mailto:ann@example.com`], {
      attendees: [
        {
          id: 'ann@example.com',
          name: '',
          email: 'ann@example.com',
          responseStatus: 'needsAction',
          kind: kind as 'required',
        },
      ],
    });
  }),
  timed('a name with a comma and quotes of RFC 6868', ['ATTENDEE;CN="Ann ^\'The, Boss^\'":mailto:ann@example.com'], {
    attendees: [
      {
        id: 'ann@example.com',
        name: 'Ann "The, Boss"',
        email: 'ann@example.com',
        responseStatus: 'needsAction',
        kind: 'required',
      },
    ],
  }),
  timed(
    'several values of a parameter',
    ['ATTENDEE;MEMBER="mailto:a@example.com","mailto:b@example.com";CN=Ann:mailto:ann@example.com'],
    {
      attendees: [
        {
          id: 'ann@example.com',
          name: 'Ann',
          email: 'ann@example.com',
          responseStatus: 'needsAction',
          kind: 'required',
        },
      ],
    },
  ),
  timed('an address in EMAIL', ['ATTENDEE;EMAIL=ann@example.com:urn:uuid:1'], {
    attendees: [
      { id: 'ann@example.com', name: '', email: 'ann@example.com', responseStatus: 'needsAction', kind: 'required' },
    ],
  }),
  timed('a guest without an address is not shown', ['ATTENDEE;CN=Ann:urn:uuid:1'], { attendees: [] }),
  timed('a comment', ['ATTENDEE;X-RESPONSE-COMMENT=Late:mailto:ann@example.com'], {
    attendees: [
      {
        id: 'ann@example.com',
        name: '',
        email: 'ann@example.com',
        responseStatus: 'needsAction',
        kind: 'required',
        comment: 'Late',
      },
    ],
  }),
  timed('another organizer', ['ORGANIZER;CN=Bob:mailto:bob@example.com'], {
    organizer: { name: 'Bob', email: 'bob@example.com', isSelf: false },
  }),
  timed(
    'the account as organizer has accepted',
    ['ORGANIZER:mailto:Me@example.com', 'ATTENDEE:mailto:ann@example.com'],
    { organizer: { email: 'me@example.com', isSelf: true }, myResponseStatus: 'accepted' },
  ),
  timed(
    'the account as guest',
    ['ORGANIZER:mailto:bob@example.com', 'ATTENDEE;PARTSTAT=TENTATIVE:mailto:me@example.com'],
    { myResponseStatus: 'tentative' },
  ),
];

const DETAILS: readonly Shape[] = [
  timed('escaped text', ['SUMMARY:a\\, b\\; c\\\\ d\\n e\\N f'], { title: 'a, b; c\\ d\n e\n f' }),
  timed('text with bare separators', ['SUMMARY:a, b; c: d'], { title: 'a, b; c: d' }),
  timed('text with a language', ['SUMMARY;LANGUAGE=de:Hallo'], { title: 'Hallo' }),
  timed('text with an alternative', ['DESCRIPTION;ALTREP="cid:part1":Hello'], { description: 'Hello' }),
  timed('no title', [], { title: '' }),
  timed('a folded word', ['SUMMARY:fol', ' ded'], { title: 'folded' }),
  timed('a word folded with a tab', ['SUMMARY:fol', '\tded'], { title: 'folded' }),
  timed('characters beyond ASCII', ['SUMMARY:Größe 漢字 😀'], { title: 'Größe 漢字 😀' }),
  timed('a place', ['LOCATION:Room 1\\, House 2'], { location: 'Room 1, House 2' }),
  ...(
    ['PUBLIC public', 'PRIVATE private', 'CONFIDENTIAL confidential', 'X-SECRET private', 'private private'] as const
  ).map((pair) => {
    const [word, visibility] = pair.split(' ');
    return timed(`CLASS:${word}`, [`CLASS:${word}`], { visibility: visibility as 'public' });
  }),
  timed('no CLASS', [], { visibility: 'default' }),
  timed('TRANSP:TRANSPARENT', ['TRANSP:TRANSPARENT'], { transparency: 'transparent', showAs: 'free' }),
  timed('TRANSP:OPAQUE', ['TRANSP:OPAQUE'], { transparency: 'opaque', showAs: 'busy' }),
  timed('free as Outlook writes it', ['X-MICROSOFT-CDO-BUSYSTATUS:FREE'], { transparency: 'transparent' }),
  timed('TRANSP outranks it', ['X-MICROSOFT-CDO-BUSYSTATUS:FREE', 'TRANSP:OPAQUE'], { transparency: 'opaque' }),
  timed('out of office', ['X-MICROSOFT-CDO-BUSYSTATUS:OOF'], { eventType: 'outOfOffice', showAs: 'oof' }),
  timed('working elsewhere', ['X-MICROSOFT-CDO-BUSYSTATUS:WORKINGELSEWHERE'], { showAs: 'workingElsewhere' }),
  timed('STATUS:TENTATIVE', ['STATUS:TENTATIVE'], { status: 'tentative', showAs: 'tentative' }),
  timed('STATUS:CONFIRMED', ['STATUS:CONFIRMED'], { status: 'confirmed' }),
  timed('categories on two lines', ['CATEGORIES:A,B\\,C', 'CATEGORIES:A,D'], { categories: ['A', 'B,C', 'D'] }),
  timed('a position', ['GEO:48.85;2.35'], { locationDetails: { coordinates: { latitude: 48.85, longitude: 2.35 } } }),
  timed('a position off the earth', ['GEO:148.85;2.35'], {}),
  timed('a colour', ['COLOR:tomato'], { customColor: 'tomato' }),
  timed('a conference', ['CONFERENCE;VALUE=URI;FEATURE=VIDEO;LABEL=Team:https://meet.example/a'], {
    conferenceData: { conferenceType: 'Team', joinUrl: 'https://meet.example/a' },
  }),
  timed('a conference of Google', ['X-GOOGLE-CONFERENCE:https://meet.google.com/abc'], {
    conferenceData: { joinUrl: 'https://meet.google.com/abc' },
  }),
  timed('a conference of Teams', ['X-MICROSOFT-SKYPETEAMSMEETINGURL:https://teams.example/l'], {
    conferenceData: { joinUrl: 'https://teams.example/l' },
  }),
  timed('an attachment', ['ATTACH:https://example.com/a.pdf'], { hasAttachments: true }),
  timed('a link', ['URL:https://example.com/e'], { webLink: 'https://example.com/e' }),
  timed('a link that is no page', ['URL:javascript:alert(1)'], { webLink: '' }),
  timed('times of creation and change', ['CREATED:20250101T000000Z', 'LAST-MODIFIED:20250202T000000Z'], {
    createdAt: '2025-01-01T00:00:00.000Z',
    updatedAt: '2025-02-02T00:00:00.000Z',
  }),
  timed('an unreadable time of creation', ['CREATED:yesterday'], { createdAt: '2026-01-05T10:00:00.000Z' }),
  timed('extended properties', ['X-KALENDS-PUBLIC:a%3Bb=c%2Cd', 'X-KALENDS-PRIVATE:k=%E2%82%AC'], {
    publicExtendedProperties: { 'a;b': 'c,d' },
    privateExtendedProperties: { k: '€' },
  }),
  timed('an extended property that cannot be read', ['X-KALENDS-PUBLIC:%ZZ=1', 'X-KALENDS-PUBLIC:noequals'], {
    publicExtendedProperties: {},
  }),
];

function alarm(...lines: readonly string[]): readonly string[] {
  return ['BEGIN:VALARM', ...lines, 'END:VALARM'];
}

function reminders(...overrides: readonly [method: 'email' | 'popup', minutes: number][]): Partial<EventContent> {
  return {
    reminders: {
      useDefault: false,
      isReminderOn: overrides.length > 0,
      overrides: overrides.map(([method, minutes]) => ({ method, minutes })),
    },
  };
}

const ALARMS: readonly Shape[] = [
  timed('no alarm', [], reminders()),
  timed('an alarm', alarm('ACTION:DISPLAY', 'TRIGGER:-PT15M'), reminders(['popup', 15])),
  timed('a sound', alarm('ACTION:AUDIO', 'TRIGGER:-PT1H'), reminders(['popup', 60])),
  timed('a mail', alarm('ACTION:EMAIL', 'TRIGGER:-P1D'), reminders(['email', 1440])),
  timed('at the start', alarm('ACTION:DISPLAY', 'TRIGGER:PT0S'), reminders(['popup', 0])),
  timed('before the end', alarm('ACTION:DISPLAY', 'TRIGGER;RELATED=END:-PT90M'), reminders(['popup', 30])),
  timed(
    'at a fixed time',
    alarm('ACTION:DISPLAY', 'TRIGGER;VALUE=DATE-TIME:20260302T073000Z'),
    reminders(['popup', 30]),
  ),
  timed('after the start: cannot be shown', alarm('ACTION:DISPLAY', 'TRIGGER:PT10M'), reminders()),
  timed('too long before', alarm('ACTION:DISPLAY', 'TRIGGER:-P10W'), reminders()),
  timed('a procedure', alarm('ACTION:PROCEDURE', 'TRIGGER:-PT15M'), reminders()),
  timed(
    'the same twice',
    [...alarm('ACTION:DISPLAY', 'TRIGGER:-PT15M'), ...alarm('ACTION:AUDIO', 'TRIGGER:-PT15M')],
    reminders(['popup', 15]),
  ),
  timed('the defaults of the calendar', ['X-KALENDS-REMINDERS:DEFAULT'], { reminders: { useDefault: true } }),
];

/** More than a hundred shapes of events as programs write them, read in the zone of Berlin for me@example.com. */
export const SHAPES: readonly Shape[] = [...TIMES, ...RULES, ...PEOPLE, ...DETAILS, ...ALARMS];

/** Returns the text of a calendar with one event. */
export function textOf({ lines }: Pick<Shape, 'lines'>, uid = 'shape'): string {
  const event = ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20260105T100000Z', ...lines, 'END:VEVENT'];
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...event, 'END:VCALENDAR', ''].join('\r\n');
}
