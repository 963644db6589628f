import fc from 'fast-check';
import type { EventContent, ItemVersion, ProviderEvent } from 'kalends/ports';
import { expect, test } from 'vitest';
import { eventGroup } from '../../src/events/read/event-group.ts';
import { presentEvent } from '../../src/events/read/event-presenter.ts';
import { unexpandedRecords } from '../../src/events/read/group-records.ts';
import { shownEvent, shownJson } from '../../src/mirror/shown-event.ts';
import { eventWrite, storedEvent } from '../../src/mirror/stored-event.ts';
import { formatInstant } from '../../src/zones/index.ts';
import { allDay, fakeEvent, newYork } from './fake-events.ts';

const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'UTC', 'Etc/GMT+5', 'Australia/Lord_Howe'];
const ALL = { expand: false, from: null, to: null } as const;

/** Texts that would lead a search for members of a JSON text astray. */
const TRAPS = [
  '","createdAt":"2020',
  '},"isAllDay":true,',
  '","recurrence":null,"',
  '}},"providerEventId":"x"',
  '","start":{"dateTime":',
  '\\"',
  '\u2028\u0000',
  'Ä 🗓',
];
const text = fc.oneof(
  fc.string(),
  fc.constantFrom(...TRAPS),
  fc.tuple(fc.constantFrom(...TRAPS), fc.string()).map(([a, b]) => a + b),
);
const names = fc.oneof(
  text,
  fc.constantFrom('recurrence', 'createdAt', 'start', 'isAllDay', 'providerEventId', '1', 'title'),
);
const properties = fc.dictionary(names, fc.oneof(text, fc.constant('null')), { maxKeys: 3 });

const time = (ms: number, timeZone: string) => ({ dateTime: formatInstant(timeZone, ms), timeZone });

const content: fc.Arbitrary<Partial<EventContent>> = fc
  .record(
    {
      title: text,
      description: text,
      location: text,
      publicExtendedProperties: properties,
      privateExtendedProperties: properties,
      colorId: text,
      customColor: fc.constant('#ff0000'),
      myResponseStatus: fc.constantFrom('accepted', 'tentative'),
      attendees: fc.array(fc.record({ email: text, displayName: text, kind: fc.constant('required') }), {
        maxLength: 2,
      }),
      providerEventType: text,
      guestsCanModify: fc.boolean(),
      categories: fc.array(text, { maxLength: 2 }),
      generateMeetingUrlProvider: fc.constant(undefined),
      conferenceData: fc.constant(undefined),
    },
    { requiredKeys: ['title', 'description'] },
  )
  .chain((fields) =>
    fc
      .tuple(
        fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2030, 0) }).map((ms) => Math.floor(ms / 1_000) * 1_000),
        fc.integer({ min: -3_600, max: 86_400 }),
        fc.constantFrom(...ZONES),
        fc.constantFrom(...ZONES),
      )
      .map(([startMs, seconds, zone, endZone]) => ({
        ...fields,
        start: time(startMs, zone),
        end: time(startMs + seconds * 1_000, endZone),
      })),
  ) as fc.Arbitrary<Partial<EventContent>>;

/** The event as a storage gives it back, with its text and without. */
function versions(event: ProviderEvent): { readonly kept: ItemVersion; readonly parsed: ItemVersion } {
  const { itemId, groupId, etag, content: written } = eventWrite(event, 1);
  const contentText = JSON.stringify(written);
  const parsed = {
    ...{ itemId, groupId, etag, fromRevision: 3, providerTag: null, mappingVersion: 1, privateContent: null },
    content: JSON.parse(contentText) as unknown,
  };
  return { kept: { ...parsed, contentText }, parsed };
}

function onlyRecord(version: ItemVersion) {
  const [record, ...others] = unexpandedRecords(eventGroup(version.groupId, [version], 'Asia/Tokyo'), ALL);
  expect(others).toEqual([]);
  if (record?.kind !== 'stored') throw new Error('no stored record');
  return record;
}

test('a record that is cut out of the stored text is the one that is presented and printed', () => {
  fc.assert(
    fc.property(text, content, fc.option(fc.constantFrom(...ZONES), { nil: undefined }), (id, fields, zone) => {
      const { kept, parsed } = versions(fakeEvent(`e${id}`, fields));
      const record = onlyRecord(kept);
      const other = onlyRecord(parsed);
      expect(other.shown).toBeUndefined();
      expect(record.shown && shownJson(record.shown, zone)).toBe(JSON.stringify(presentEvent(other, zone)));
      expect(presentEvent(record, zone)).toEqual(presentEvent(other, zone));
      const plain = ({ startMs, endMs, isCancelled, updatedAt, order, version, recurrenceId }: typeof record) => ({
        ...{ startMs, endMs, isCancelled, updatedAt, order, version, recurrenceId },
      });
      expect(plain(record)).toEqual(plain(other));
      // Nothing of the form is left in the event, whose hash would be another.
      expect(eventWrite({ ...storedEvent(parsed), providerTag: null }, 1).etag).toBe(kept.etag);
    }),
  );
});

test('every field of an event that most have is cut out', () => {
  const { kept } = versions(fakeEvent('a', newYork('2026-03-02', '09:00', '10:00')));
  expect(shownEvent(kept)).toBeDefined();
});

test.each([
  ['an all-day event', fakeEvent('a', allDay('2026-03-02', '2026-03-03'))],
  ['a series', fakeEvent('a', { recurrence: ['RRULE:FREQ=DAILY'] })],
  ['a cancelled event', fakeEvent('a', {}, { isCancelled: true })],
  [
    'a time in a zone by its Windows name',
    fakeEvent('a', { start: { dateTime: '2026-03-02T09:00:00-05:00', timeZone: 'Eastern Standard Time' } }),
  ],
  ['a time in an unknown zone', fakeEvent('a', { start: { dateTime: '2026-03-02T09:00:00-05:00', timeZone: 'X/Y' } })],
  [
    'an offset that is not the zone’s',
    fakeEvent('a', { end: { dateTime: '2026-03-02T10:00:00-04:00', timeZone: 'America/New_York' } }),
  ],
  [
    'a fraction of a second',
    fakeEvent('a', { end: { dateTime: '2026-03-02T10:00:00.500-05:00', timeZone: 'America/New_York' } }),
  ],
  ['a field that no record has', fakeEvent('a', { extra: 1 } as never)],
  ['a member that no event has', { ...fakeEvent('a'), extra: { a: {}, providerEventId: 'x' } } as never],
  ['an event that does not say whether it is all-day', fakeEvent('a', { isAllDay: undefined } as never)],
  ['a property without a text', fakeEvent('a', { publicExtendedProperties: { a: '1', recurrence: null } } as never)],
  ['a description that is no text', fakeEvent('a', { description: { x: 1, createdAt: '2' } } as never)],
])('%s is presented and printed', (_, event) => {
  expect(shownEvent(versions(event).kept)).toBeUndefined();
});

test('texts of other tz data, of earlier versions and of occurrences are parsed', () => {
  const { kept } = versions(fakeEvent('a'));
  const text = kept.contentText ?? '';
  expect(text).toContain(`{"shown":"${process.versions['tz']}",`);
  expect(shownEvent({ ...kept, contentText: text.replace(/"shown":"[^"]*"/, '"shown":"1999z"') })).toBeUndefined();
  expect(shownEvent({ ...kept, contentText: JSON.stringify(fakeEvent('a')) })).toBeUndefined();
  expect(shownEvent({ ...kept, itemId: 'a_1' })).toBeUndefined();
});

test.each([
  ['cancelled', { isCancelled: true }],
  ['made a series', { content: { recurrence: ['RRULE:FREQ=DAILY'] } }],
  ['written with another member', { extra: {} }],
])('the text of an event that an earlier version has %s is parsed', (_, change) => {
  const { kept } = versions(fakeEvent('a'));
  const written = kept.content as ProviderEvent;
  const { content, ...members } = change as Partial<ProviderEvent>;
  const next = { ...written, ...members, content: { ...written.content, ...content } };
  expect(shownEvent({ ...kept, contentText: JSON.stringify(written) })).toBeDefined();
  expect(shownEvent({ ...kept, contentText: JSON.stringify(next) })).toBeUndefined();
});
