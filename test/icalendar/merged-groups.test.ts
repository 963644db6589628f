import { mergedGroups, readCalendars } from 'kalends/icalendar';
import { expect, it } from 'vitest';

const SLOT = 'RECURRENCE-ID:20260302T090000Z';

interface Version {
  readonly title: string;
  readonly sequence?: number;
  readonly stamp?: string;
}

const versionOf = ({ title, sequence, stamp }: Version, ...lines: readonly string[]): readonly string[] => [
  ...['UID:a', 'DTSTART:20260302T090000Z', `SUMMARY:${title}`, ...lines],
  ...(sequence === undefined ? [] : [`SEQUENCE:${sequence}`]),
  ...(stamp === undefined ? [] : [`DTSTAMP:${stamp}`]),
];

/** Merges calendars that each have one component. */
function merged(...calendars: readonly (readonly string[])[]) {
  const groups = calendars.flatMap((event) => {
    const lines = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...event, 'END:VEVENT', 'END:VCALENDAR', ''];
    return readCalendars(lines.join('\r\n')).flatMap(({ groups: each }) => each);
  });
  const { master, exceptions = [] } = mergedGroups(groups)[0] ?? {};
  return [master, ...exceptions].flatMap((event) => (event === undefined ? [] : [event.content?.title ?? 'cancelled']));
}

it.each<[string, Version, Version]>([
  [
    'higher SEQUENCE, though stamped earlier',
    { title: 'old', sequence: 1, stamp: '20260105T000000Z' },
    { title: 'new', sequence: 2, stamp: '20260101T000000Z' },
  ],
  [
    'later stamp, of equal SEQUENCE',
    { title: 'old', sequence: 2, stamp: '20260101T000000Z' },
    { title: 'new', sequence: 2, stamp: '20260105T000000Z' },
  ],
])('takes the version with the %s, whichever comes first', (_, older, newer) => {
  for (const lines of [[], [SLOT]]) {
    expect(merged(versionOf(older, ...lines), versionOf(newer, ...lines))).toEqual(['new']);
    expect(merged(versionOf(newer, ...lines), versionOf(older, ...lines))).toEqual(['new']);
  }
});

it('takes the last of two versions that nothing tells apart', () => {
  expect(merged(versionOf({ title: 'one' }), versionOf({ title: 'two' }))).toEqual(['two']);
});

it('cancels an occurrence by its SEQUENCE, and where it is equal, as the file has it last', () => {
  const stamp = '20260101T000000Z';
  const shown = versionOf({ title: 'shown', sequence: 1, stamp }, SLOT);
  const cancelled = (sequence: number) => versionOf({ title: '', sequence, stamp }, SLOT, 'STATUS:CANCELLED');
  expect([merged(shown, cancelled(2)), merged(cancelled(2), shown)]).toEqual([['cancelled'], ['cancelled']]);
  expect([merged(shown, cancelled(0)), merged(cancelled(0), shown)]).toEqual([['shown'], ['shown']]);
  expect([merged(shown, cancelled(1)), merged(cancelled(1), shown)]).toEqual([['cancelled'], ['shown']]);
});
