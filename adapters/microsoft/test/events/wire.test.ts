import type { Event } from '@microsoft/microsoft-graph-types';
import { expect, test } from 'vitest';
import { readDescription } from '../../src/events/description.ts';
import { readEvent, readSeries } from '../../src/events/event-reading.ts';
import { wireEvent, wireMaster } from '../../src/events/event-wire.ts';
import { propertyId, readKept } from '../../src/events/kept-properties.ts';

const context = { calendarZone: 'Europe/Berlin' };

test('the least that Graph may send is an event', () => {
  const least: Event = {
    id: 'e1',
    start: { dateTime: '2026-03-01T09:00:00.0000000', timeZone: 'UTC' },
    end: { dateTime: '2026-03-01T10:00:00.0000000', timeZone: 'UTC' },
  };
  expect(readEvent(wireEvent.parse(least), context)).toEqual({
    providerEventId: 'e1',
    providerTag: null,
    isOrganizer: false,
    seriesId: null,
    recurrenceId: null,
    isCancelled: false,
    content: {
      title: '',
      description: '',
      createdAt: '',
      updatedAt: '',
      start: { dateTime: '2026-03-01T10:00:00+01:00', timeZone: 'Europe/Berlin' },
      end: { dateTime: '2026-03-01T11:00:00+01:00', timeZone: 'Europe/Berlin' },
      isAllDay: false,
      publicExtendedProperties: {},
      privateExtendedProperties: {},
      recurrence: null,
      myResponseStatus: 'needsAction',
      attendees: [],
      visibility: 'default',
      location: '',
      webLink: '',
      iCalUid: '',
      transparency: 'opaque',
      eventType: 'default',
      reminders: { useDefault: false, isReminderOn: false, overrides: [] },
      status: 'confirmed',
      showAs: 'busy',
      categories: [],
      guestsCanSeeOtherGuests: true,
      allowNewTimeProposals: true,
      hasAttachments: false,
    },
  });
});

test('rules in the text above the block of an online meeting are part of the description', () => {
  const block = `${'_'.repeat(80)}\r\nMicrosoft Teams meeting\r\nJoin<https://teams.microsoft.com/l/x>\r\n${'_'.repeat(80)}\r\n`;
  const text = `Agenda\r\n${'_'.repeat(32)}\r\nFrom: Ann\r\nplease read`;
  const meeting = { isOnlineMeeting: true, onlineMeeting: { joinUrl: 'https://teams.microsoft.com/l/x' } };
  const lines = `Agenda\n${'_'.repeat(32)}\nFrom: Ann\nplease read`;
  expect(readDescription(`${text}\r\n${block}`, meeting, undefined)).toBe(lines);
  // Another program has written below a description of ours.
  expect(readDescription(`${text}\r\n${block}`, meeting, 'Agenda  ')).toBe(lines);
  expect(readDescription(`Agenda\r\n${block}`, meeting, 'Agenda  ')).toBe('Agenda  ');
  // Without the link, the first rule may be the block's.
  expect(readDescription(`Agenda\r\n${block}`, { isOnlineMeeting: true }, undefined)).toBe('Agenda');
  expect(readDescription(text, { isOnlineMeeting: false }, undefined)).toBe(lines);
});

test('a Teams invitation as Graph sends it', () => {
  const invitation: Event = {
    id: 'e2',
    createdDateTime: '2026-02-01T08:00:00.1234567Z',
    lastModifiedDateTime: '2026-02-02T08:00:00Z',
    subject: 'Weekly',
    body: {
      contentType: 'text',
      content:
        'Agenda\r\n- one\r\n________________________________________________________________________________\r\nMicrosoft Teams meeting\r\nJoin: https://teams.microsoft.com/l/x\r\n',
    },
    start: { dateTime: '2026-03-01T09:00:00.0000000', timeZone: 'UTC' },
    end: { dateTime: '2026-03-01T10:00:00.0000000', timeZone: 'UTC' },
    originalStartTimeZone: 'W. Europe Standard Time',
    originalEndTimeZone: 'W. Europe Standard Time',
    isOnlineMeeting: true,
    onlineMeetingProvider: 'teamsForBusiness',
    onlineMeeting: {
      joinUrl: 'https://teams.microsoft.com/l/x',
      conferenceId: '123',
      tollNumber: '+49 69 1',
      phones: [{ number: '+49 69 1' }, { number: '+49 69 2', type: 'business' }],
    },
    responseStatus: { response: 'tentativelyAccepted', time: '2026-02-02T08:00:00Z' },
    organizer: { emailAddress: { name: 'Ada', address: 'ada@contoso.com' } },
    attendees: [
      { type: 'required', status: { response: 'none' }, emailAddress: { name: 'Ben', address: 'Ben@contoso.com' } },
      { type: 'resource', status: { response: 'accepted' }, emailAddress: { address: 'room@contoso.com' } },
    ],
    isOrganizer: false,
    sensitivity: 'personal',
    showAs: 'workingElsewhere',
    isReminderOn: true,
    reminderMinutesBeforeStart: 5,
    location: { displayName: 'Room' },
  };
  expect(readEvent(wireEvent.parse(invitation), context).content).toMatchObject({
    description: 'Agenda\n- one',
    createdAt: '2026-02-01T08:00:00.123Z',
    start: { dateTime: '2026-03-01T10:00:00+01:00', timeZone: 'Europe/Berlin' },
    conferenceData: {
      conferenceId: '123',
      conferenceType: 'teamsForBusiness',
      conferenceDetails: {
        conferenceId: '123',
        entryPoints: [
          { entryPointType: 'video', uri: 'https://teams.microsoft.com/l/x', label: 'teams.microsoft.com' },
          { entryPointType: 'phone', uri: 'tel:+49 69 1', label: '+49 69 1' },
          { entryPointType: 'phone', uri: 'tel:+49 69 2', label: '+49 69 2' },
        ],
      },
    },
    attendees: [
      { id: 'ben@contoso.com', name: 'Ben', email: 'Ben@contoso.com', responseStatus: 'needsAction' },
      { id: 'room@contoso.com', name: '', email: 'room@contoso.com', responseStatus: 'accepted' },
    ],
    myResponseStatus: 'tentative',
    visibility: 'private',
    transparency: 'opaque',
    organizer: { name: 'Ada', email: 'ada@contoso.com', isSelf: false },
  });
});

test('an instance whose master is out of reach has the UID of its series', () => {
  const OUTLOOK = '040000008200E00074C5B7101A82E008';
  const rest = '00A5D8E27C15DB0100000000000000001000000000';
  const uidOf = (iCalUId: string, seriesMasterId: string | null) => {
    const start = { dateTime: '2026-03-09T09:00:00.0000000', timeZone: 'UTC' };
    const instance = { id: 'x1', iCalUId, seriesMasterId, originalStart: '2026-03-09T09:00:00Z', start, end: start };
    return readEvent(wireEvent.parse(instance), context).content?.iCalUid;
  };
  expect(uidOf(`${OUTLOOK}07EA0309${rest}`, 'm1')).toBe(`${OUTLOOK}00000000${rest}`);
  expect(uidOf(`${OUTLOOK}07EA0309${rest}`, null)).toBe(`${OUTLOOK}07EA0309${rest}`);
  expect(uidOf('1234@else.example', 'm1')).toBe('1234@else.example');
});

test('an all-day exception names its slot by date, whatever offset its original start carries', () => {
  const times = {
    isAllDay: true,
    start: { dateTime: '2026-03-09T00:00:00.0000000', timeZone: 'UTC' },
    end: { dateTime: '2026-03-10T00:00:00.0000000', timeZone: 'UTC' },
  };
  const cases = [
    ['Pacific Standard Time', '2026-03-09T07:00:00Z', '2026-03-09'],
    ['Tokyo Standard Time', '2026-03-08T15:00:00Z', '2026-03-09'],
    ['Customized Time Zone', '2026-03-08T23:00:00Z', '2026-03-09'],
    ['Customized Time Zone', '2026-03-09T07:00:00Z', '2026-03-09'],
    ['UTC', '2026-03-09T00:00:00Z', '2026-03-09'],
  ] as const;
  for (const [zone, originalStart, date] of cases) {
    const { exceptions } = readSeries(
      wireMaster.parse({
        id: 'm1',
        type: 'seriesMaster',
        ...times,
        originalStartTimeZone: zone,
        recurrence: { pattern: { type: 'daily', interval: 1 }, range: { type: 'noEnd', startDate: '2026-03-01' } },
        exceptionOccurrences: [{ id: 'x1', type: 'exception', seriesMasterId: 'm1', originalStart, ...times }],
      }),
      context,
    );
    expect(exceptions[0]?.recurrenceId, zone).toEqual({ kind: 'date', date });
  }
});

test('an all-day exception from an unknown zone is on the date where its series has a slot', () => {
  const times = {
    isAllDay: true,
    start: { dateTime: '2026-03-09T00:00:00.0000000', timeZone: 'UTC' },
    end: { dateTime: '2026-03-10T00:00:00.0000000', timeZone: 'UTC' },
  };
  const slotOf = (pattern: object, originalStart: string) => {
    const { exceptions } = readSeries(
      wireMaster.parse({
        id: 'm1',
        type: 'seriesMaster',
        ...times,
        recurrence: { pattern, range: { type: 'noEnd', startDate: '2026-03-09', recurrenceTimeZone: '' } },
        exceptionOccurrences: [{ id: 'x1', type: 'exception', seriesMasterId: 'm1', originalStart, ...times }],
      }),
      context,
    );
    return exceptions[0]?.recurrenceId;
  };
  const weekly = { type: 'weekly', interval: 1, daysOfWeek: ['monday'], firstDayOfWeek: 'monday' };
  const monday = { kind: 'date', date: '2026-03-16' };
  // Midnight of Monday at UTC+14, +13, +5, -5 and -12.
  for (const at of ['15T10', '15T11', '15T19', '16T05', '16T12']) {
    expect(slotOf(weekly, `2026-03-${at}:00:00Z`), at).toEqual(monday);
  }
  const daily = { type: 'daily', interval: 1 };
  expect(slotOf(daily, '2026-03-15T13:00:00Z')).toEqual(monday);
  expect(slotOf({ ...weekly, daysOfWeek: ['friday'] }, '2026-03-15T13:00:00Z')).toEqual(monday);
});

test('a pattern that is not understood shows the first occurrence', () => {
  const { master } = readSeries(
    wireMaster.parse({
      id: 'm1',
      start: { dateTime: '2026-03-01T09:00:00', timeZone: 'UTC' },
      end: { dateTime: '2026-03-01T10:00:00', timeZone: 'UTC' },
      recurrence: { pattern: { type: 'lunar', interval: 1 }, range: { type: 'noEnd', startDate: '2026-03-01' } },
    }),
    context,
  );
  expect(master.content?.recurrence).toEqual(['RRULE:FREQ=DAILY;COUNT=1']);
});

test('kept properties that cannot be read count as absent', () => {
  for (const value of ['', 'x', '[]', '{"a":1}', 'null', null]) {
    expect(readKept([{ id: propertyId('kalends.public').toUpperCase(), value }]).public).toEqual({});
  }
});
