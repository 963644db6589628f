import type { EventChange } from 'kalends/ports';
import { expect, test } from 'vitest';
import { requireReadableRecurrence } from '../../../src/events/series-edit/require-readable.ts';
import { snapshotOf } from '../../../src/events/series-edit/series-snapshot.ts';
import { readObjectChanges } from '../src/events/object-reading.ts';

const PERSON = { email: 'ada@x.example', self: [], isKnown: true };
const CALENDAR = { timeZone: 'UTC', isShared: false, inviteEmail: 'ada@x.example' };

function read(...components: readonly string[]): readonly EventChange[] {
  const text = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${components.join('')}END:VCALENDAR\r\n`;
  const steps = readObjectChanges({ path: '/ada/a.ics', text, tag: '"1"', scheduleTag: undefined }, PERSON, CALENDAR);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

const event = (uid: string, ...lines: readonly string[]): string =>
  ['BEGIN:VEVENT', `UID:${uid}`, `SUMMARY:${uid}`, 'DTSTART:20270301T090000Z', ...lines, 'END:VEVENT', ''].join('\r\n');

const PART = 'UID: an object has one event; not shown: "second", "third"';

test('an object with events of several UIDs shows the first, and names the others as unreadable parts', () => {
  const others = [event('second'), event('third')];
  expect(read(event('first'), ...others)).toMatchObject([
    { kind: 'event', event: { content: { title: 'first' }, unreadableParts: [PART] } },
  ]);
  expect(read(event('first', 'RRULE:FREQ=DAILY;COUNT=2'), ...others)).toMatchObject([
    { kind: 'series', master: { content: { title: 'first' }, unreadableParts: [PART] } },
  ]);
  expect(read(event('first'))).toMatchObject([{ kind: 'event', event: { content: { title: 'first' } } }]);
  expect(JSON.stringify(read(event('first')))).not.toContain('unreadableParts');
});

test('an object with several events of one UID shows one, and says that there are more', () => {
  const other = event('first').replace('DTSTART:20270301', 'DTSTART:20270302');
  const parts = ['UID: is that of several events; one was taken'];
  expect(read(event('first'), other)).toMatchObject([
    { kind: 'event', event: { content: { start: { dateTime: '2027-03-02T09:00:00+00:00' } }, unreadableParts: parts } },
  ]);
  expect(read(event('first'), other, event('second'))).toMatchObject([
    { event: { unreadableParts: [...parts, 'UID: an object has one event; not shown: "second"'] } },
  ]);
  expect(JSON.stringify(read(event('first'), event('first')))).not.toContain('unreadableParts');
});

test('a series beside other events can be edited, and one whose recurrence cannot be read whole cannot', () => {
  const snapshot = (...lines: readonly string[]) => {
    const [change] = read(event('first', 'RRULE:FREQ=DAILY;COUNT=2', ...lines), event('second'));
    if (change?.kind !== 'series') throw new Error('the object is no series');
    return snapshotOf([change], change.master.providerEventId)!;
  };
  expect(() => requireReadableRecurrence(snapshot())).not.toThrow();
  expect(() => requireReadableRecurrence(snapshot('RDATE:never'))).toThrow(/cannot be read: RDATE/);
});
