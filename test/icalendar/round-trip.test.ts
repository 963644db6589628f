import fc from 'fast-check';
import ICAL from 'ical.js';
import { type IcsGroup, type PrintableGroup, printCalendar, printEvents, readCalendars } from 'kalends/icalendar';
import type { EventDateTime } from 'kalends/model';
import { recurrenceIdText } from 'kalends/recurrence';
import { offsetAt } from 'kalends/zones';
import { expect, test } from 'vitest';
import { groups } from './event-contents.ts';

const OPTIONS = { timeZone: 'Europe/Berlin' };

function read(text: string): readonly IcsGroup[] {
  return readCalendars(text, { calendarZone: 'Europe/Berlin' })[0]?.groups ?? [];
}

/** A group without what a text does not say: the order of exceptions and of what stands in sets. */
function comparable({ uid, master, exceptions }: PrintableGroup): unknown {
  const event = (one: PrintableGroup['master']) => {
    if (one === undefined) return undefined;
    const { recurrenceId: slot, isCancelled, content, sequence = 0 } = one;
    return { slot, isCancelled, content, sequence };
  };
  const sorted = exceptions.toSorted((one, other) => (slotText(one) < slotText(other) ? -1 : 1));
  return { uid, master: event(master), exceptions: sorted.map(event) };
}

function slotText({ recurrenceId }: PrintableGroup['exceptions'][number]): string {
  return recurrenceId === null ? '' : recurrenceIdText(recurrenceId);
}

test('reading gives back what was printed, whatever it is', () => {
  fc.assert(
    fc.property(groups, (group) => {
      const printed = printEvents([group], OPTIONS);
      expect(read(printed).map(comparable)).toEqual([comparable(group)]);
      expect(printEvents(read(printed), OPTIONS)).toBe(printed);
    }),
    { numRuns: 400 },
  );
});

test('a printed line has 75 octets at most, and ends in CRLF', () => {
  fc.assert(
    fc.property(groups, (group) => {
      const lines = printEvents([group], OPTIONS).split('\r\n');
      expect(lines.filter((line) => Buffer.byteLength(line) > 75 || /[\r\n]/.test(line))).toEqual([]);
      expect(lines.at(-1)).toBe('');
    }),
    { numRuns: 100 },
  );
});

test('another reader finds the same texts, people and instants', () => {
  fc.assert(
    fc.property(groups, (group) => {
      const content = group.master?.content;
      if (content == null) return;
      const calendar = new ICAL.Component(ICAL.parse(printEvents([group], OPTIONS)));
      for (const zone of calendar.getAllSubcomponents('vtimezone'))
        ICAL.TimezoneService.register(new ICAL.Timezone(zone));
      const event = new ICAL.Event(
        calendar.getAllSubcomponents('vevent').find((one) => !one.hasProperty('recurrence-id')),
      );
      ICAL.TimezoneService.reset();
      expect(event.uid).toBe(group.uid);
      expect(event.summary ?? '').toBe(content.title);
      expect(event.description ?? '').toBe(content.description);
      expect(event.location ?? '').toBe(content.location);
      // It resolves backslashes in parameters too, where RFC 5545 has no such escape.
      const people = event.attendees.map((one) => [one.getFirstValue(), one.getParameter('cn') ?? ''] as const);
      for (const [index, { email, name }] of content.attendees.entries()) {
        expect(people[index]?.[0]).toBe(`mailto:${email}`);
        if (!name.includes('\\')) expect(people[index]?.[1]).toBe(name);
      }
      expect(people.length).toBe(content.attendees.length);
      // Of an hour that occurs twice it takes the second, RFC 5545 §3.3.5 the first.
      if (!isSettled(content.start)) return;
      expect(event.startDate.toJSDate().getTime()).toBe(instantOf(content.start.dateTime, event.startDate));
    }),
    { numRuns: 200 },
  );
});

function isSettled({ dateTime, timeZone }: EventDateTime): boolean {
  const at = Date.parse(dateTime);
  return (
    timeZone === '' || [-3, 3].every((hours) => offsetAt(timeZone, at + hours * 3_600_000) === offsetAt(timeZone, at))
  );
}

function instantOf(dateTime: string, time: ICAL.Time): number {
  return time.isDate ? time.toJSDate().getTime() : Date.parse(dateTime);
}

test('a stream prints the same as at once, with one VTIMEZONE for each zone', async () => {
  const many = fc.sample(groups, { numRuns: 40, seed: 7 });
  const options = { ...OPTIONS, fromMs: Date.UTC(1800, 0, 1) };
  let streamed = '';
  for await (const chunk of printCalendar(many, options)) streamed += chunk;
  expect(streamed).toBe(printEvents(many, options));
  const zones = [...streamed.matchAll(/BEGIN:VTIMEZONE\r\nTZID:(.*)\r\n/g)].map(([, zone]) => zone);
  expect(new Set(zones).size).toBe(zones.length);
});
