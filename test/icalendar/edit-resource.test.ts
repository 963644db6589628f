import { createResource, type EditContext, editResource, readCalendars } from 'kalends/icalendar';
import type { EventPatch, RecurrenceId } from 'kalends/ports';
import { describe, expect, test } from 'vitest';

const CONTEXT: EditContext & { uid: string } = {
  now: Date.UTC(2026, 0, 1),
  calendarZone: 'Europe/Berlin',
  email: 'me@example.com',
  uid: 'series-1',
};
const BERLIN = 'Europe/Berlin';
const SECOND: RecurrenceId = { kind: 'instant', startMs: Date.parse('2026-03-09T09:00:00+01:00') };

function weekly(): string {
  return createResource(
    {
      title: 'Weekly, with; care',
      start: { dateTime: '2026-03-02T09:00:00+01:00', timeZone: BERLIN },
      end: { dateTime: '2026-03-02T10:00:00+01:00', timeZone: BERLIN },
      recurrence: ['RRULE:FREQ=WEEKLY'],
    },
    CONTEXT,
  );
}

function groupOf(text: string) {
  const [group] = readCalendars(text, { calendarZone: BERLIN, self: ['me@example.com'] })[0]?.groups ?? [];
  if (group === undefined) throw new Error('no group');
  return group;
}

function lastEventOf(text: string): string {
  return text.slice(text.lastIndexOf('BEGIN:VEVENT'), text.indexOf('END:VCALENDAR'));
}

test('a new resource reads as it was written', () => {
  const { master } = groupOf(weekly());
  expect(master?.content).toMatchObject({
    title: 'Weekly, with; care',
    start: { dateTime: '2026-03-02T09:00:00+01:00', timeZone: BERLIN },
    recurrence: ['RRULE:FREQ=WEEKLY'],
    iCalUid: 'series-1',
  });
});

test('an occurrence says its own and follows its series in the rest', () => {
  const own = editResource(weekly(), { kind: 'occurrence', recurrenceId: SECOND }, { title: 'Other' }, CONTEXT);
  const moved = editResource(own, { kind: 'event' }, { title: 'New', location: 'Room 1' }, CONTEXT);
  const { master, exceptions } = groupOf(moved);
  expect(master?.content).toMatchObject({ title: 'New', location: 'Room 1' });
  expect(exceptions.map(({ content }) => content)).toMatchObject([{ title: 'Other', location: 'Room 1' }]);
});

test('an occurrence of an RDATE with a length of its own keeps it, also when it comes back or its series moves', () => {
  const lines = ['RDATE;VALUE=PERIOD:20260309T080000Z/PT3H'];
  const dated = editResource(weekly(), { kind: 'event' }, { recurrence: lines }, CONTEXT);
  const at = { kind: 'occurrence', recurrenceId: SECOND } as const;
  const hours = (from: string, to: string) => ({
    start: { dateTime: `2026-03-09T${from}:00:00+01:00`, timeZone: BERLIN },
    end: { dateTime: `2026-03-09T${to}:00:00+01:00`, timeZone: BERLIN },
  });
  const named = editResource(dated, at, { title: 'Long' }, CONTEXT);
  expect(groupOf(named).exceptions[0]?.content).toMatchObject(hours('09', '12'));
  const cancelled = editResource(dated, at, { isCancelled: true }, CONTEXT);
  const back = editResource(cancelled, at, { isCancelled: false, title: 'Back' }, CONTEXT);
  expect(groupOf(back).exceptions[0]?.content).toMatchObject({ title: 'Back', ...hours('09', '12') });
  const moved = editResource(
    named,
    { kind: 'event' },
    {
      start: { dateTime: '2026-03-02T11:00:00+01:00', timeZone: BERLIN },
      end: { dateTime: '2026-03-02T12:00:00+01:00', timeZone: BERLIN },
      recurrence: ['RDATE;VALUE=PERIOD:20260309T100000Z/PT3H'],
    },
    CONTEXT,
  );
  expect(groupOf(moved).exceptions[0]?.content).toMatchObject({ title: 'Long', ...hours('11', '14') });
});

test('an occurrence with guests of its own takes changes of those whom its series has too, and no others', () => {
  const guest = (name: string) => ({ email: `${name}@example.com` });
  const series = editResource(weekly(), { kind: 'event' }, { attendees: [guest('ann'), guest('bob')] }, CONTEXT);
  const at = { kind: 'occurrence', recurrenceId: SECOND } as const;
  const own = editResource(series, at, { attendees: [guest('ann'), guest('bob'), guest('zoe')] }, CONTEXT);
  const later = { attendees: [{ ...guest('ann'), kind: 'optional' as const }, guest('cleo')] };
  const { exceptions } = groupOf(editResource(own, { kind: 'event' }, later, CONTEXT));
  expect(exceptions[0]?.content?.attendees.map(({ email, kind }) => [email, kind])).toEqual([
    ['ann@example.com', 'optional'],
    ['bob@example.com', 'required'],
    ['zoe@example.com', 'required'],
  ]);
});

test('a cancelled occurrence is an EXDATE to others and a cancelled slot to us, and comes back', () => {
  const target = { kind: 'occurrence', recurrenceId: SECOND } as const;
  const cancelled = editResource(weekly(), target, { isCancelled: true }, CONTEXT);
  expect(cancelled).toContain('EXDATE;TZID=Europe/Berlin:20260309T090000');
  expect(groupOf(cancelled)).toMatchObject({
    master: { content: { recurrence: ['RRULE:FREQ=WEEKLY'] } },
    exceptions: [{ recurrenceId: SECOND, isCancelled: true, content: null }],
  });
  const restored = editResource(cancelled, target, { isCancelled: false }, CONTEXT);
  expect(restored).not.toContain('EXDATE');
  expect(groupOf(restored).exceptions).toEqual([]);
});

test('an occurrence that another program has brought back is cancelled again', () => {
  const target = { kind: 'occurrence', recurrenceId: SECOND } as const;
  const cancelled = editResource(weekly(), target, { isCancelled: true }, CONTEXT);
  // It dropped the EXDATE, and kept what it does not know.
  const back = cancelled.replace(/EXDATE.*\r\n/, '');
  expect(groupOf(back).exceptions).toEqual([]);
  const again = editResource(back, target, { isCancelled: true }, CONTEXT);
  expect(groupOf(again).exceptions).toMatchObject([{ recurrenceId: SECOND, isCancelled: true }]);
  expect(again.match(/EXDATE/g)).toHaveLength(1);
  expect(again.match(/X-KALENDS-CANCELLED/g)).toHaveLength(1);
  expect(editResource(again, target, { isCancelled: true }, CONTEXT)).toBe(again);
});

describe('a series with a cancelled occurrence', () => {
  const cancelled = editResource(
    weekly(),
    { kind: 'occurrence', recurrenceId: SECOND },
    { isCancelled: true },
    CONTEXT,
  );
  const times = (date: string, hour: string) => ({
    start: { dateTime: `${date}T${hour}:00:00+01:00`, timeZone: BERLIN },
    end: { dateTime: `${date}T${hour}:30:00+01:00`, timeZone: BERLIN },
  });
  const series = (patch: EventPatch, text = cancelled) => editResource(text, { kind: 'event' }, patch, CONTEXT);

  test('has it at its new time alone once its times are others', () => {
    const moved = series(times('2026-03-02', '11'));
    expect(moved.match(/^EXDATE.*$/gm)).toEqual(['EXDATE;TZID=Europe/Berlin:20260309T110000']);
    const back = groupOf(series(times('2026-03-02', '09'), moved));
    expect(back).toMatchObject({
      master: { content: { recurrence: ['RRULE:FREQ=WEEKLY'] } },
      exceptions: [{ recurrenceId: SECOND, isCancelled: true }],
    });
  });

  test('has no date left of it once its rule lacks it', () => {
    const monthly = series({ recurrence: ['RRULE:FREQ=MONTHLY'] });
    expect(monthly).not.toContain('EXDATE');
    const back = groupOf(series({ recurrence: ['RRULE:FREQ=WEEKLY'] }, monthly));
    expect(back).toMatchObject({ master: { content: { recurrence: ['RRULE:FREQ=WEEKLY'] } }, exceptions: [] });
  });

  test('keeps it once where the series still has its slot', () => {
    const later = series({ ...times('2026-02-23', '09'), recurrence: ['RRULE:FREQ=WEEKLY;COUNT=9'] });
    const earlier = series(times('2026-02-23', '09'));
    for (const text of [later, earlier]) {
      expect(text.match(/EXDATE/g)).toHaveLength(1);
      expect(groupOf(text).exceptions).toMatchObject([{ recurrenceId: SECOND, isCancelled: true }]);
    }
  });

  test('loses the slot by an exclusion that is written', () => {
    const recurrence = ['RRULE:FREQ=WEEKLY', 'EXDATE;TZID=Europe/Berlin:20260309T090000'];
    expect(groupOf(series({ recurrence }))).toMatchObject({ master: { content: { recurrence } }, exceptions: [] });
  });

  test('keeps the lines of it in an edit of other fields', () => {
    const lines = (text: string) => text.match(/^(?:EXDATE|X-KALENDS).*$/gm);
    expect(lines(series({ title: 'Other' }))).toEqual(lines(cancelled));
    const { start } = times('2026-03-02', '09');
    expect(lines(series({ start, end: times('2026-03-02', '10').end }))).toEqual(lines(cancelled));
  });
});

test.each([
  ['end', 'start'],
  ['start', 'end'],
] as const)('an edit without %s beside %s is refused, of a series and of an occurrence', (missing, given) => {
  const patch = { [given]: { dateTime: '2026-03-09T11:00:00+01:00', timeZone: BERLIN } };
  for (const target of [{ kind: 'event' } as const, { kind: 'occurrence', recurrenceId: SECOND } as const]) {
    const edit = () => editResource(weekly(), target, patch, CONTEXT);
    expect(edit).toThrow(expect.objectContaining({ name: 'ICalendarError', field: missing }));
    expect(edit).toThrow(`${missing}: must be given with ${given}`);
  }
});

test('an edit that changes nothing returns the text itself', () => {
  const text = weekly();
  expect(editResource(text, { kind: 'event' }, { title: 'Weekly, with; care' }, CONTEXT)).toBe(text);
});

test('of two versions of one component an edit changes the one that is read, and drops the older', () => {
  const at = { kind: 'occurrence', recurrenceId: SECOND } as const;
  const own = editResource(weekly(), at, { title: 'Old' }, CONTEXT);
  const version = lastEventOf(own);
  const newer = version.replace('SEQUENCE:0', 'SEQUENCE:3').replace('SUMMARY:Old', 'SUMMARY:Newer');
  for (const both of [`${newer}${version}`, `${version}${newer}`]) {
    const text = own.replace(version, both);
    const placed = editResource(text, at, { location: 'Room 1' }, CONTEXT);
    expect(groupOf(placed).exceptions.map(({ content }) => content)).toMatchObject([
      { title: 'Newer', location: 'Room 1' },
    ]);
    expect(placed.match(/RECURRENCE-ID/g)).toHaveLength(1);
    expect(editResource(text, at, { isCancelled: true }, CONTEXT)).not.toContain('RECURRENCE-ID');
    expect(editResource(text, at, { title: 'Newer' }, CONTEXT)).toBe(text);
  }
});

test('of two versions of an event an edit changes the one that is read', () => {
  const event = lastEventOf(weekly());
  const newer = event.replace('SEQUENCE:0', 'SEQUENCE:3').replace(/SUMMARY:.*/, 'SUMMARY:Newer');
  const text = weekly().replace(event, `${event}${newer}`);
  const placed = editResource(text, { kind: 'event' }, { location: 'Room 1' }, CONTEXT);
  expect(groupOf(placed).master?.content).toMatchObject({ title: 'Newer', location: 'Room 1' });
  expect(placed.match(/BEGIN:VEVENT/g)).toHaveLength(1);
});

test('a guest declines a cancelled occurrence whose series is not in the text, and its organizer cancels it', () => {
  const at = { kind: 'occurrence', recurrenceId: SECOND } as const;
  const lines = [
    'SUMMARY:Mine',
    'ORGANIZER:mailto:boss@example.com',
    'ATTENDEE;PARTSTAT=ACCEPTED:mailto:me@example.com',
  ];
  const own = editResource(weekly(), at, { title: 'Mine' }, CONTEXT).replace('SUMMARY:Mine', lines.join('\r\n'));
  const text = own.replace(lastEventOf(weekly()), '');
  const declined = editResource(text, at, { isCancelled: true }, CONTEXT);
  expect(declined).toContain('ATTENDEE;PARTSTAT=DECLINED:mailto:me@example.com');
  expect(declined).not.toContain('STATUS:CANCELLED');
  expect(editResource(declined, at, { isCancelled: true }, CONTEXT)).toBe(declined);
  const cancelled = editResource(text, at, { isCancelled: true }, { ...CONTEXT, email: 'boss@example.com' });
  expect(cancelled).toContain('STATUS:CANCELLED');
});
